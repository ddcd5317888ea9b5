import { stringifyJson } from '@engine/expression'
import type { Decision, ExecutionResult } from '@engine/ruleset'
import type { EngineError } from '../errors.ts'
import type { BatchItem } from '../services/batch.ts'
import { type Awaitable, jsonText, whenThere } from '@engine/process'
import type { AnswerForm } from '../services/execution.ts'

/** Decisions as the JSON text of specification 2.3. */
export const TEXT: AnswerForm<string, string> = { decided: textOf, failed: failedText }

/** The same as items of a batch, where a failure is a result as well. */
export const TEXT_ITEM: AnswerForm<TextItem, TextItem> = {
  decided: (decided, microseconds) => {
    const made = (text: string) => item(text, false, microseconds)
    return whenThere(textOf(decided, microseconds), made)
  },
  failed: (error, microseconds) => item(failedText(error, microseconds), true, microseconds),
}

/** One result of a batch. */
export interface TextItem extends BatchItem {
  readonly text: string
}

function item(text: string, failed: boolean, microseconds: number): TextItem {
  return { text, failed, microseconds, size: text.length }
}

/** `error` and `message` describe the failure; `code` is `error`, which clients cannot mistake for a result code. */
function failedText({ message }: EngineError, microseconds: number): string {
  return JSON.stringify({ code: 'error', message, output: null, duration_us: microseconds, error: message })
}

/** Decisions in which nothing is evaluated are one object for all executions: so is most of their text. */
const texts = new WeakMap<Decision, string>()

function textOf(decided: Decision | ExecutionResult, microseconds: number): Awaitable<string> {
  if ('trace' in decided) return jsonText({ ...decided, duration_us: microseconds })
  const known = texts.get(decided)
  if (known !== undefined) return `${known}${microseconds}}`
  const { code, message, output } = decided
  if (Object.isFrozen(decided)) {
    const head = headOf(stringifyJson({ code, message, output }))
    texts.set(decided, head)
    return `${head}${microseconds}}`
  }
  // In one piece: behind a text of 30 MB even a digit costs a copy of it.
  return jsonText({ code, message, output, duration_us: microseconds })
}

/** All of an answer but the duration. */
function headOf(text: string): string {
  return `${text.slice(0, -1)},"duration_us":`
}
