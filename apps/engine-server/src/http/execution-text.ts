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

/** Items whose text lacks its closing brace: members of a line follow. */
export const OPEN_TEXT_ITEM: AnswerForm<TextItem, TextItem> = {
  decided: (decided, microseconds) =>
    whenThere(openTextOf(decided, microseconds), (text) => item(text, false, microseconds)),
  failed: (error, microseconds) => item(failedText(error, microseconds).slice(0, -1), true, microseconds),
}

/** Decisions in which nothing is evaluated are one object for all executions: so is most of their text. */
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

/** All of the answer to a constant decision but its duration; undefined for any other. */
function constantHead(decided: Decision | ExecutionResult): string | undefined {
  if ('trace' in decided) return undefined
  const known = texts.get(decided)
  if (known !== undefined || !Object.isFrozen(decided)) return known
  const { code, message, output } = decided
  const head = headOf(stringifyJson({ code, message, output }))
  texts.set(decided, head)
  return head
}

/** In one piece: behind a text of 30 MB even a digit costs a copy of it. */
function wholeText(decided: Decision | ExecutionResult, microseconds: number): Awaitable<string> {
  if ('trace' in decided) return jsonText({ ...decided, duration_us: microseconds })
  const { code, message, output } = decided
  return jsonText({ code, message, output, duration_us: microseconds })
}

/** All of an answer but the duration. */
function headOf(text: string): string {
  return `${text.slice(0, -1)},"duration_us":`
}
