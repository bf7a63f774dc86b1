import { createServer } from 'vite';

/** Whether a browser could show itself: everywhere but on a Linux machine without a display. */
const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(
    'npm run demo: serves the gallery of demos on the loopback address until Ctrl-C, and takes no options (docs/demos.md).',
  );
  process.exit(0);
}

/** On the loopback address alone: what is served is this folder. */
export const server = await createServer({ mode: 'demo', server: { host: '127.0.0.1', open: hasDisplay && !process.env.CI } });
await server.listen();
server.printUrls();
