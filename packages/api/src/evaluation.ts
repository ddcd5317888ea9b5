import { Type } from 'typebox'

/** Request of `POST /eval`. */
export const EvalRequest = Type.Object({
  expression: Type.String(),
  context: Type.Optional(Type.Object({}, { default: {}, description: 'what fields are looked up in' })),
})
/** Request of `POST /eval`. */
export interface EvalRequest {
  readonly expression: string
  readonly context?: object
}

/** Answer of `POST /eval`. */
export const EvalResult = Type.Object({
  result: Type.Unknown(),
  parsed: Type.String({ description: 'the canonical, fully parenthesised print' }),
})
