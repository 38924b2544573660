import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@gerbang/runtime';
import type { experimental } from '@grpc/grpc-js';

/** Renewed certificates are used this soon. They come hours before the old ones expire. */
const LOOK_EVERY_MS = 2_000;

/** Files of mutual TLS between services, and whose certificates name services (`spiffe://<trust domain>/gerbang/<service>`). */
export type TlsFiles = { ca: string; cert: string; key: string; trustDomain: string };

type Pems = { ca: Buffer; cert: Buffer; key: Buffer };
type Listener<Update> = (update: Update | null) => void;

/**
 * The certificates of a listener, read from their files again and again: a renewal writes the same files (cert-manager,
 * a mounted secret). What is missing, or does not fit together because only a part of it has been written, changes nothing.
 */
export class CertificateFiles implements experimental.CertificateProvider {
  readonly #files: TlsFiles;
  readonly #log: Logger;
  readonly #authorities = new Set<Listener<experimental.CaCertificateUpdate>>();
  readonly #identities = new Set<Listener<experimental.IdentityCertificateUpdate>>();
  #used: Pems;
  #watch: NodeJS.Timeout | undefined;

  /** Throws where a file cannot be read, or they are no certificates and key that fit together. */
  constructor(files: TlsFiles, log: Logger) {
    this.#files = files;
    this.#log = log;
    this.#used = read(files);
    createSecureContext(this.#used);
  }

  addCaCertificateListener(listener: Listener<experimental.CaCertificateUpdate>): void {
    this.#authorities.add(listener);
    this.#begin(() => listener(authority(this.#used)));
  }

  removeCaCertificateListener(listener: Listener<experimental.CaCertificateUpdate>): void {
    this.#authorities.delete(listener);
    this.#endUnlessHeard();
  }

  addIdentityCertificateListener(listener: Listener<experimental.IdentityCertificateUpdate>): void {
    this.#identities.add(listener);
    this.#begin(() => listener(identity(this.#used)));
  }

  removeIdentityCertificateListener(listener: Listener<experimental.IdentityCertificateUpdate>): void {
    this.#identities.delete(listener);
    this.#endUnlessHeard();
  }

  /** A listener is not ready to hear anything before the call that adds it has returned. */
  #begin(tell: () => void): void {
    process.nextTick(tell);
    this.#watch ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #endUnlessHeard(): void {
    if (this.#authorities.size + this.#identities.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #look(): void {
    try {
      const found = read(this.#files);
      if (isSame(found, this.#used)) return;
      createSecureContext(found);
      this.#used = found;
    } catch (error) {
      this.#log.warn({ err: error }, 'the files of certificates cannot be used now; those that were read before stay in use');
      return;
    }
    for (const listener of this.#authorities) listener(authority(this.#used));
    for (const listener of this.#identities) listener(identity(this.#used));
    this.#log.info('the certificates have been renewed');
  }
}

function read({ ca, cert, key }: Omit<TlsFiles, 'trustDomain'>): Pems {
  return { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
}

function isSame(one: Pems, other: Pems): boolean {
  return one.ca.equals(other.ca) && one.cert.equals(other.cert) && one.key.equals(other.key);
}

const authority = ({ ca }: Pems): experimental.CaCertificateUpdate => ({ caCertificate: ca });
const identity = ({ cert, key }: Pems): experimental.IdentityCertificateUpdate => ({ certificate: cert, privateKey: key });
