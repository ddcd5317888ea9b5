import type { Value } from '@engine/expression'
import type { Answer } from '@engine/http-server'
import { jsonText } from '@engine/process'

/** An answer whose body is not serialized yet. */
interface JsonAnswer extends Answer {
  /** Serialized by `written`. */
  readonly value: unknown
}

/** An answer with a JSON body. The router serializes it, a large one in pieces between other requests. */
export function json(status: number, value: unknown): Answer {
  const answer: JsonAnswer = { status, value }
  return answer
}

/** Serializes the body of an answer. */
export async function written(answer: Answer): Promise<Answer> {
  if (!('value' in answer)) return answer
  const { value, ...rest } = answer as JsonAnswer
  // Bodies are values by construction; typed records do not have the index signature of `Value`.
  return { ...rest, body: await jsonText(value as Value) }
}

/** The value of a member that is already JSON text: it is inserted unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
