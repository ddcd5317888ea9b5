import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/** Request of `POST /eval`. */
export const EvalRequest = Type.Object(
  {
    expression: Type.String(),
    context: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, default: {}, description: 'the object that fields are looked up in' },
      ),
    ),
    numbers: Type.Optional(
      Type.Union([Type.Literal('double'), Type.Literal('decimal')], {
        default: 'double',
        description: 'what numbers mean, as in `config.numbers`',
      }),
    ),
  },
  { title: 'EvalRequest', examples: [{ expression: 'a + b', context: { a: 1, b: 2 } }] },
)
export type EvalRequest = ReadonlyStatic<typeof EvalRequest>

/** Answer of `POST /eval`. */
export const EvalResult = Type.Object(
  {
    result: Type.Unknown(),
    parsed: Type.String({ description: 'the canonical, fully parenthesised text' }),
  },
  { title: 'EvalResult', examples: [{ result: 3, parsed: '(a + b)' }] },
)
