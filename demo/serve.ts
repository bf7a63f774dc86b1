import { createServer } from 'vite';

/** Whether a browser could show itself: everywhere but on a Linux machine without a display. */
const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** On the loopback address alone: what is served is this folder. */
export const server = await createServer({ mode: 'demo', server: { host: '127.0.0.1', open: hasDisplay && !process.env.CI } });
await server.listen();
server.printUrls();
