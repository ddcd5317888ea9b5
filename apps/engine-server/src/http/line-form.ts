import { stringifyJson, type Value } from '@engine/expression'
import { MEDIA } from '@engine/http-server'
import { csvCell } from '@engine/rule-file'
import type { Decision, Program } from '@engine/ruleset'
import type { AnswerForm } from '../services/execution.ts'
import { OPEN_TEXT_ITEM, type TextItem } from './execution-text.ts'

/** The layout of the lines of a streamed answer. */
export interface LineForm {
  /** The content type. */
  readonly type: string
  /** The text before the first line. */
  readonly head: string
  readonly item: AnswerForm<TextItem, TextItem>
  /** The texts around an item. `key` identifies the input; undefined if it has none. */
  readonly before: (line: number, key: Value | undefined) => string
  readonly after: (line: number, key: Value | undefined) => string
}

/** One JSON object per line. */
export const NDJSON_LINES: LineForm = {
  type: MEDIA.ndjson,
  head: '',
  item: OPEN_TEXT_ITEM,
  before: () => '',
  after: (line, key) => `,"line":${line}${key === undefined ? '' : `,"key":${stringifyJson(key)}`}}\n`,
}

/**
 * CSV (RFC 4180) with a header: the line of the input, its key if requested, code and message, each output member of
 * the ruleset's results, and the error of a failed input.
 */
export function csvLines({ ruleset }: Pick<Program, 'ruleset'>, hasKey: boolean): LineForm {
  const names = outputNames(ruleset)
  const columns = [
    'line',
    ...(hasKey ? ['key'] : []),
    'code',
    'message',
    ...names.map((name) => `output.${name}`),
    'error',
  ]
  const item = (cells: readonly (Value | undefined)[], failed: boolean, microseconds: number) => {
    const text = cells.map(csvCell).join(',')
    return { text, failed, microseconds, size: text.length }
  }
  return {
    type: 'text/csv; charset=utf-8; header=present',
    head: `${columns.map(csvCell).join(',')}\r\n`,
    item: {
      decided: ({ code, message, output }: Decision, microseconds) =>
        item(
          [code, message, ...names.map((name) => (Object.hasOwn(output, name) ? output[name] : undefined)), undefined],
          false,
          microseconds,
        ),
      failed: ({ message }, microseconds) =>
        item(['error', message, ...names.map(() => undefined), message], true, microseconds),
    },
    before: (line, key) => `${line},${hasKey ? `${csvCell(key)},` : ''}`,
    after: () => '\r\n',
  }
}

/** The output members of all results, in the order of the steps. */
function outputNames({ steps }: Program['ruleset']): readonly string[] {
  const names = new Set<string>()
  for (const step of steps.values()) {
    if (step.type !== 'terminal') continue
    for (const name of [...step.fields.keys(), ...step.output.map(([member]) => member)]) names.add(name)
  }
  return [...names]
}
