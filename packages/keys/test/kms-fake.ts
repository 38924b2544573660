import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const content = z.object({
  KeyId: z.string(),
  Plaintext: z.string().optional(),
  CiphertextBlob: z.string().optional(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
});

/** AWS KMS as far as it is used here, over its own HTTP protocol, and really encrypting. */
export async function startKmsFake() {
  const keys = new Map<string, Buffer>();
  const aliases = new Map<string, string>();
  const state = { requests: 0, fail: 0 };
  const aad = (context: Record<string, string>) => Buffer.from(JSON.stringify(Object.entries(context).sort()));
  const encrypt = (id: string, key: Buffer, plain: string, context: Record<string, string>) => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad(context));
    const data = Buffer.concat([cipher.update(Buffer.from(plain, 'base64')), cipher.final()]);
    const blob = Buffer.concat([Buffer.from(id), iv, data, cipher.getAuthTag()]);
    return { KeyId: `arn:aws:kms:test:000000000000:key/${id}`, CiphertextBlob: blob.toString('base64') };
  };
  const decrypt = (id: string, key: Buffer, ciphertext: string, context: Record<string, string>) => {
    const blob = Buffer.from(ciphertext, 'base64');
    if (blob.subarray(0, 36).toString() !== id) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(36, 48)).setAAD(aad(context));
      decipher.setAuthTag(blob.subarray(-16));
      const plain = Buffer.concat([decipher.update(blob.subarray(48, -16)), decipher.final()]);
      return { KeyId: id, Plaintext: plain.toString('base64') };
    } catch {
      return undefined;
    }
  };
  const answer = (target: unknown, body: string): [number, object] => {
    state.requests++;
    if (state.fail > 0) {
      state.fail--;
      return [500, { __type: 'KMSInternalException', message: 'try again' }];
    }
    const { KeyId, Plaintext = '', CiphertextBlob = '', EncryptionContext } = content.parse(JSON.parse(body));
    const id = aliases.get(KeyId) ?? KeyId;
    const key = keys.get(id);
    if (key === undefined) return [400, { __type: 'NotFoundException', message: `Key ${KeyId} does not exist` }];
    if (target === 'TrentService.Encrypt') return [200, encrypt(id, key, Plaintext, EncryptionContext)];
    const opened = decrypt(id, key, CiphertextBlob, EncryptionContext);
    return opened === undefined ? [400, { __type: 'InvalidCiphertextException' }] : [200, opened];
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [status, json] = answer(request.headers['x-amz-target'], body);
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    state,
    /** Makes a key and points the alias at it. */
    rotate(alias: string) {
      const id = randomUUID();
      keys.set(id, randomBytes(32));
      aliases.set(alias, id);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
