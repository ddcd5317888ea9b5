import type { Log } from './log.ts'

/** A log that stores its lines: level, fields, message. */
export function memoryLog(): { readonly log: Log; readonly lines: readonly (readonly [string, object, string])[] } {
  const lines: [string, object, string][] = []
  const say = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const log: Log = {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    fatal: say('fatal'),
    flush: () => Promise.resolve(),
  }
  return { log, lines }
}
