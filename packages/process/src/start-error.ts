import type { Awaitable } from './awaitable.ts'

/** The program cannot start, for a reason that its user can fix. The message is one line. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** The exit code of the program; 2 if a file is as invalid as an option can be. */
  readonly exitCode: number

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Descriptions of system errors. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory',
  EEXIST: 'something else has this name',
  EIO: 'the disk reports an input/output error',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EADDRINUSE: 'it is in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host is not known',
}

/** The reason of an error of the operating system; undefined for any other error. */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  // Node's own errors also have codes (ERR_…), but are defects.
  if (!/^E[A-Z0-9]+$/.test(error.code)) return undefined
  return REASONS[error.code] ?? error.code
}

/**
 * Runs a part of the start. A system error becomes a `StartError` that names the option and its value, and an error
 * known to `explain` a `StartError` with that reason; any other error is a defect and rethrown.
 *
 * @param explain the reason of an error with a user-facing message; undefined for any other error
 */
export async function starting<T>(
  option: string,
  value: string,
  work: () => Awaitable<T>,
  explain: (error: unknown) => string | undefined = () => undefined,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const explained = explain(error)
    if (explained !== undefined) throw new StartError(`${option}: ${explained}`, { cause: error })
    const reason = systemReason(error)
    if (reason === undefined) throw error
    throw new StartError(`${option}: cannot use \`${value}\`: ${reason}`, { cause: error })
  }
}
