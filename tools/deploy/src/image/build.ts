import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICES } from '../../../../launcher/services.ts';
import { LAYERS, layOut, USER } from './lay-out.ts';
import { writeImage } from './oci.ts';

/**
 * `npm run image -- <service>… [--out FOLDER]`: the image of deploy/Dockerfile as an OCI tarball, without an engine. `cli` is the
 * image of operators' commands; no names: all of them.
 */
const root = path.resolve(import.meta.dirname, '../../../..');
const calledFrom = process.env.INIT_CWD ?? process.cwd();
const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const out = path.resolve(calledFrom, values.out ?? path.join(root, process.env.GERBANG_DATA ?? '.gerbang', 'artefacts/images'));
const names = positionals.length > 0 ? positionals : [...SERVICES.map(({ name }) => name), 'cli'];

mkdirSync(out, { recursive: true });
for (const name of names) {
  const folder = path.join(out, `.${name}`);
  layOut(name, folder);
  const file = path.join(out, `gerbang-${name}.tar`);
  const digest = writeImage(
    file,
    LAYERS.map((layer) => path.join(folder, layer)),
    {
      entrypoint: entrypoint(),
      user: `${USER}:${USER}`,
      labels: { 'org.opencontainers.image.title': `gerbang-${name}`, 'org.opencontainers.image.licenses': 'Apache-2.0' },
    },
  );
  rmSync(folder, { recursive: true });
  process.stdout.write(`${path.relative(calledFrom, file)} ${digest}\n`);
}

/** The Dockerfile has it, so that there is one. */
function entrypoint(): string[] {
  const text = readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8').replaceAll('\\\n', '');
  const line = /^ENTRYPOINT (\[.*\])$/m.exec(text)?.[1];
  if (line === undefined) throw new Error('deploy/Dockerfile has no ENTRYPOINT');
  return JSON.parse(line);
}
