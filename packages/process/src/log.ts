import pino, { type DestinationStream } from 'pino'
import { within } from './deadline.ts'
import { logText } from './log-text.ts'

/** Configurable severities, least verbose first. */
export type Severity = 'error' | 'warn' | 'info' | 'debug'

/** The format of lines: `auto` means text on a terminal and JSON elsewhere. */
export type LogFormat = 'auto' | 'json' | 'text'

/** The program's log: fields for machines, a message for people. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
  /** Resolves when everything logged so far is written, or after a second: a stalled reader must not delay the shutdown. */
  flush(): Promise<void>
}

/**
 * Maximum size of buffered lines; further lines are dropped: a stalled reader of the log must not exhaust memory or
 * block decisions.
 */
const MAX_BACKLOG = 16 * 1024 * 1024

const FLUSH_TIMEOUT_MS = 1000

/**
 * JSON lines `{"level":"info","time":"…Z","service":…,"instance":…,"msg":…}`. JSON escapes line breaks and control
 * characters in values, so that user input cannot forge log lines. On a terminal a line is text for people.
 *
 * @param destination default: standard output
 * @param env `NO_COLOR` disables colors on a terminal
 */
export function createLog(
  options: {
    readonly level: Severity
    readonly service: string
    readonly instance: string
    /** Number of the worker process; undefined for the main process. */
    readonly worker?: number
    /** Default: `auto`. */
    readonly format?: LogFormat
  },
  destination?: DestinationStream & { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Log {
  const output = destination === undefined ? standardOutput() : { stream: destination, flush: () => Promise.resolve() }
  const isTerminal = (destination ?? process.stdout).isTTY === true
  const { format = 'auto' } = options
  const isText = format === 'auto' ? isTerminal : format === 'text'
  const isColored = isTerminal && (env['NO_COLOR'] ?? '') === ''
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
      // `reason` as well as `err`: promises can reject with any value.
      serializers: { err: pino.stdSerializers.err, reason: pino.stdSerializers.err },
      ...(isText ? { hooks: { streamWrite: (line: string) => logText(line, isColored) } } : {}),
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
  // With a minimum length of 0 `flush` would wait for pending writes; 1 writes every line immediately.
  const stream = pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: MAX_BACKLOG })
  // The reader of the log may have exited (EPIPE): decisions continue.
  stream.on('error', () => {})
  // pino calls it after `fatal` and at exit, and retries forever on a closed pipe. Every exit awaits `flush`.
  stream.flushSync = () => {}
  const written = () => new Promise<void>((resolve) => stream.flush(() => resolve()))
  return {
    stream,
    flush: async () => {
      await within(FLUSH_TIMEOUT_MS, written())
    },
  }
}
