import { stringifyJson } from '@engine/expression'
import type { Decision, ExecutionResult } from '@engine/ruleset'
import type { EngineError } from '../errors.ts'
import type { BatchItem } from '../services/batch.ts'
import { type Awaitable, jsonText, whenThere } from '@engine/process'
import type { AnswerForm } from '../services/execution.ts'

/** Converts decisions to the JSON text of specification 2.3. */
export const TEXT: AnswerForm<string, string> = { decided: textOf, failed: failedText }

/** Converts decisions to items of a batch, where a failure is a result as well. */
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

/** Items whose closing brace is omitted, so that members of a line can follow. */
export const OPEN_TEXT_ITEM: AnswerForm<TextItem, TextItem> = {
  decided: (decided, microseconds) =>
    whenThere(openTextOf(decided, microseconds), (text) => item(text, false, microseconds)),
  failed: (error, microseconds) => item(failedText(error, microseconds).slice(0, -1), true, microseconds),
}

/** A decision without evaluated parts is one object for all executions, so most of its text is cached. */
const texts = new WeakMap<Decision, string>()

function textOf(decided: Decision | ExecutionResult, microseconds: number): Awaitable<string> {
  const head = constantHead(decided)
  return head === undefined ? wholeText(decided, microseconds) : `${head}${microseconds}}`
}

/** The text without its closing brace. */
function openTextOf(decided: Decision | ExecutionResult, microseconds: number): Awaitable<string> {
  const head = constantHead(decided)
  if (head !== undefined) return `${head}${microseconds}`
  return whenThere(wholeText(decided, microseconds), (text) => text.slice(0, -1))
}

/** The answer to a constant decision, except its duration; undefined for any other decision. */
function constantHead(decided: Decision | ExecutionResult): string | undefined {
  if ('trace' in decided) return undefined
  const known = texts.get(decided)
  if (known !== undefined || !Object.isFrozen(decided)) return known
  const { code, message, output } = decided
  const head = headOf(stringifyJson({ code, message, output }))
  texts.set(decided, head)
  return head
}

/** Builds the text in one piece: appending even a digit to a text of 30 MB would copy it. */
function wholeText(decided: Decision | ExecutionResult, microseconds: number): Awaitable<string> {
  if ('trace' in decided) return jsonText({ ...decided, duration_us: microseconds })
  const { code, message, output } = decided
  return jsonText({ code, message, output, duration_us: microseconds })
}

/** An answer, except its duration. */
function headOf(text: string): string {
  return `${text.slice(0, -1)},"duration_us":`
}
