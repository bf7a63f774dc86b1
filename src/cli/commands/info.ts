import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { version } from '../../../package.json';
import { describeAdapter, isSoftwareAdapter } from '../../gpu/adapter';
import { nodeGpu } from '../../node';
import { bytesFigure, table } from '../format';

interface AdapterInfo {
  description: string;
  software: boolean;
  features: string[];
  limits: Record<string, number>;
}

interface Info {
  version: string;
  node: string;
  system: string;
  cores: number;
  memoryBytes: number;
  /** Version of the optional package, null where it is not installed. */
  webgpu: string | null;
  /** The backend that `auto` takes here. */
  auto: 'webgpu' | 'cpu';
  /** Why there is no adapter, or none could be asked for. */
  fault: string | null;
  adapters: AdapterInfo[];
}

/** Tells versions, adapters and the backend that `auto` takes; a machine without WebGPU is no error. */
export async function infoCommand({ json }: { json?: boolean }): Promise<number> {
  const info = await gatherInfo();
  process.stdout.write(json ? `${JSON.stringify(info, null, 2)}\n` : infoText(info));
  return 0;
}

async function gatherInfo(): Promise<Info> {
  const { auto, adapters, fault } = await gatherAdapters();
  return {
    version,
    node: process.versions.node,
    system: `${platform()} ${release()} ${arch()}`,
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    webgpu: packageVersion('webgpu'),
    auto,
    fault,
    adapters,
  };
}

async function gatherAdapters(): Promise<Pick<Info, 'auto' | 'adapters' | 'fault'>> {
  try {
    const preferred = await (await nodeGpu('auto'))?.requestAdapter({ powerPreference: 'high-performance' });
    const auto = preferred && !isSoftwareAdapter(preferred.info) ? 'webgpu' : 'cpu';
    const gpu = await nodeGpu('webgpu');
    const found = await Promise.all(
      (['high-performance', 'low-power'] as const).map((powerPreference) => gpu?.requestAdapter({ powerPreference })),
    );
    const adapters = found.filter((adapter) => adapter !== undefined && adapter !== null).map(adapterInfo);
    const distinct = adapters.filter(
      ({ description }, k) => adapters.findIndex((other) => other.description === description) === k,
    );
    const fault = gpu ? 'no adapter answers' : 'the optional package "webgpu" is not installed or does not load here';
    return { auto, adapters: distinct, fault: distinct.length > 0 ? null : fault };
  } catch (error) {
    return { auto: 'cpu', adapters: [], fault: error instanceof Error ? error.message : String(error) };
  }
}

function adapterInfo({ info, features, limits }: GPUAdapter): AdapterInfo {
  const named: Record<string, number> = {};
  for (const name in limits) {
    const value = limits[name as keyof GPUSupportedLimits];
    if (typeof value === 'number') named[name] = value;
  }
  return { description: describeAdapter(info), software: isSoftwareAdapter(info), features: [...features].sort(), limits: named };
}

/** Version of an installed package, read from the package.json above the file that it resolves to. */
function packageVersion(name: string): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8')).version;
  } catch {
    return null;
  }
}

function infoText({ adapters, ...info }: Info): string {
  const general = table([
    ['contact-dynamics', info.version],
    ['Node', info.node],
    ['system', `${info.system}, ${info.cores} cores, ${bytesFigure(info.memoryBytes)}`],
    ['package webgpu', info.webgpu ?? 'not installed'],
    ['backend auto', `takes ${info.auto}`],
    ...(info.fault === null ? [] : [['adapters', `none: ${info.fault}`] as [string, string]]),
  ]);
  const sections = adapters.map(({ description, software, features, limits }) => {
    const rows = Object.entries(limits).map(([name, value]): [string, string] => [name, String(value)]);
    return `\nAdapter: ${description}${software ? ' (software)' : ''}\n  features: ${features.join(', ')}\n${table(rows, '  ')}`;
  });
  return general + sections.join('');
}
