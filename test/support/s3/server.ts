// What the tests need of an S3 server: an account, its bucket, and a way to its objects past the proxy.
import type { IncomingMessage } from "node:http";

export const BUCKET = "mails";

export type S3Server = {
  port: number;
  accessKeyId: string;
  secretAccessKey: string;
  /** What the proxy does for a server that is not whole. */
  lacks?: {
    isSigned(req: IncomingMessage, body: Buffer): boolean;
    /** Runs the requests for one path one after the other. */
    inTurn(path: string, work: () => Promise<void>): Promise<void>;
    untilWritten(path: string, body: Buffer): Promise<void>;
  };
  /** Of all objects in the bucket. */
  keys(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
  /** Puts other bytes in the place of an object. */
  write(key: string, bytes: Buffer): Promise<void>;
  /** Adds an object. */
  put(key: string, bytes: Buffer): Promise<void>;
  lose(key: string): Promise<void>;
  stop(): Promise<void>;
};
