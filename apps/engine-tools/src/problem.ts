import { quoteCode } from '@engine/expression'
import type { Fault } from '@engine/ruleset'

/** Something about a file, with its place where there is one. */
export type Problem = Pick<Fault, 'path' | 'message' | 'line' | 'column' | 'suggestion'>

/** A problem in one line, in the form that editors jump to: `file:line:column: path message`. */
export function placed(file: string, { path, message, line, column, suggestion }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`
  const hint =
    suggestion === undefined || message.includes(suggestion) ? '' : ` (did you mean ${quoteCode(suggestion)}?)`
  return `${place}: ${path === '' ? '' : `${quoteCode(path)} `}${message}${hint}`
}
