import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** How a container of the image is started. */
export type Start = { entrypoint: readonly string[]; user: string; labels: Readonly<Record<string, string>> };

/** A blob as manifests refer to it. */
type Descriptor = { mediaType: string; digest: string; size: number };

/**
 * Writes an OCI image of folders, one layer each, as a tarball that `crane push`, `podman load` and `skopeo copy` take. The same
 * folders give the same digest: times and owners are left out. Gives the digest of the manifest.
 */
export function writeImage(file: string, folders: readonly string[], { entrypoint, user, labels }: Start): string {
  const layout = `${file}.layout`;
  rmSync(layout, { recursive: true, force: true });
  mkdirSync(path.join(layout, 'blobs/sha256'), { recursive: true });
  const blob = (mediaType: string, content: Uint8Array): Descriptor => {
    const hash = sha256(content);
    writeFileSync(path.join(layout, 'blobs/sha256', hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  };
  const json = (mediaType: string, content: object) => blob(mediaType, Buffer.from(JSON.stringify(content)));
  const tars = folders.map(tarOf);
  const layers = tars.map((tar) => blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar, { level: 3 })));
  const config = json('application/vnd.oci.image.config.v1+json', {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { User: user, Entrypoint: entrypoint, WorkingDir: '/app', Labels: labels },
    rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${sha256(tar)}`) },
  });
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers,
  });
  writeFileSync(path.join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(path.join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  execFileSync('tar', ['-cf', file, '-C', layout, 'oci-layout', 'index.json', 'blobs']);
  rmSync(layout, { recursive: true });
  return manifest.digest;
}

/** Unpacks the layers of such a tarball over each other, as an engine does. */
export function unpackImage(file: string, target: string): Start {
  const layout = `${target}.layout`;
  for (const folder of [layout, target]) mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xf', file, '-C', layout]);
  const read = (digest: string) => readFileSync(path.join(layout, 'blobs/sha256', digest.replace('sha256:', '')));
  const index: { manifests: Descriptor[] } = JSON.parse(readFileSync(path.join(layout, 'index.json'), 'utf8'));
  const manifest: { config: Descriptor; layers: Descriptor[] } = JSON.parse(String(read(index.manifests[0]?.digest ?? '')));
  for (const { digest, size } of [manifest.config, ...manifest.layers]) {
    const content = read(digest);
    if (`sha256:${sha256(content)}` !== digest || content.length !== size) throw new Error(`the blob ${digest} is another one`);
  }
  for (const { digest } of manifest.layers)
    execFileSync('tar', ['-xzf', path.join(layout, 'blobs/sha256', digest.replace('sha256:', '')), '-C', target]);
  const { config }: { config: { Entrypoint: string[]; User: string; Labels: Record<string, string> } } = JSON.parse(
    String(read(manifest.config.digest)),
  );
  rmSync(layout, { recursive: true });
  return { entrypoint: config.Entrypoint, user: config.User, labels: config.Labels };
}

/** Files in one order, of root and of one time. */
function tarOf(folder: string): Buffer {
  const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  return execFileSync('tar', ['-c', ...same, '-C', folder, '.'], { maxBuffer: 1_000_000_000 });
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
