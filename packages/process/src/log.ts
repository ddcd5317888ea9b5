import pino, { type DestinationStream } from 'pino'
import { within } from './deadline.ts'

/** Severities that can be asked for, the least talkative first. */
export type Severity = 'error' | 'warn' | 'info' | 'debug'

/** The log of the program: fields for machines, a message for people. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
  /** Resolves when everything logged so far is written, or after a second: a stalled reader must not delay the shutdown. */
  flush(): Promise<void>
}

/** Beyond this, lines are dropped: a reader of the log that stands still must not take memory or stop decisions. */
const MAX_BACKLOG = 16 * 1024 * 1024

const FLUSH_MS = 1000

/**
 * JSON lines `{"level":"info","time":"…Z","service":…,"instance":…,"msg":…}`. Line breaks and control characters in
 * values are escaped by JSON, so that nothing a user sends can look like a line of its own.
 *
 * @param destination standard output, unless a test reads along
 */
export function createLog(
  options: {
    readonly level: Severity
    readonly service: string
    readonly instance: string
    /** Which one of several processes this is; undefined: the one that was started. */
    readonly worker?: number
  },
  destination?: DestinationStream,
): Log {
  const output = destination === undefined ? standardOutput() : { stream: destination, flush: () => Promise.resolve() }
  const logger = pino(
    {
      level: options.level,
      base: {
        service: options.service,
        instance: options.instance,
        ...(options.worker === undefined ? {} : { worker: options.worker }),
      },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // `reason` as well as `err`: a promise is rejected with anything.
      serializers: { err: pino.stdSerializers.err, reason: pino.stdSerializers.err },
    },
    output.stream,
  )
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    fatal: (fields, message) => logger.fatal(fields, message),
    flush: output.flush,
  }
}

function standardOutput(): { stream: DestinationStream; flush: () => Promise<void> } {
  // With a least length `flush` waits for what is being written; 1 means that every line is written when it is said.
  const stream = pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: MAX_BACKLOG })
  // The reader of the log may be gone (EPIPE): decisions continue without it.
  stream.on('error', () => {})
  // pino calls it after `fatal` and at the exit, and it retries for ever on a closed pipe. Every exit awaits `flush`.
  stream.flushSync = () => {}
  const written = () => new Promise<void>((resolve) => stream.flush(() => resolve()))
  return {
    stream,
    flush: async () => {
      await within(FLUSH_MS, written())
    },
  }
}
