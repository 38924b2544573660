import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { cpuProfile, programOf, renderFlameGraph } from './flame-graph.ts';

const SUFFIX = '.cpuprofile';
const OWN = 'bench';

/**
 * Profiles this process and every Node process that is started from now on; each writes what it has when it ends. `finish`, after
 * all have ended, makes a flame graph beside each profile and answers their files.
 */
export async function startProfiling(folder: string): Promise<{ finish(): Promise<string[]> }> {
  mkdirSync(folder, { recursive: true });
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --cpu-prof --cpu-prof-dir=${JSON.stringify(folder)}`;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return {
    async finish() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      writeFileSync(path.join(folder, `${OWN}${SUFFIX}`), JSON.stringify(profile));
      return readdirSync(folder)
        .filter((file) => file.endsWith(SUFFIX))
        .map((file) => drawFlameGraph(folder, file));
    },
  };
}

function drawFlameGraph(folder: string, file: string): string {
  const profile = cpuProfile.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
  // Node names a profile CPU.<date>.<time>.<pid>.<thread>.<number>.
  const [, , , pid, thread] = file.split('.');
  const name = file === `${OWN}${SUFFIX}` ? OWN : `${programOf(profile)}-${pid}${thread === '0' ? '' : `-${thread}`}`;
  const drawn = path.join(folder, `${name}.svg`);
  writeFileSync(drawn, renderFlameGraph(profile, name));
  return drawn;
}
