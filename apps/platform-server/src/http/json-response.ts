import type { Value } from '@engine/expression'
import type { Answer } from '@engine/http-server'
import { jsonText } from '@engine/process'

/** An answer whose body is not written yet. */
interface JsonAnswer extends Answer {
  /** Written by `written`. */
  readonly value: unknown
}

/** An answer with a JSON body. The router writes it: a large one in pieces between other requests. */
export function json(status: number, value: unknown): Answer {
  const answer: JsonAnswer = { status, value }
  return answer
}

/** The answer with its body as text. */
export async function written(answer: Answer): Promise<Answer> {
  if (!('value' in answer)) return answer
  const { value, ...rest } = answer as JsonAnswer
  // Bodies are values by construction; typed records do not have the index signature of `Value`.
  return { ...rest, body: await jsonText(value as Value) }
}

/** The value of a member of an answer that is JSON text already: it is inserted unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
