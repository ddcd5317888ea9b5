import { Type } from 'typebox'

export const Problem = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer (RFC 6901) into the ruleset' }),
    message: Type.String(),
    code: Type.String(),
    severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    step_id: Type.Optional(Type.String()),
    suggestion: Type.Optional(Type.String()),
    line: Type.Optional(Type.Integer({ description: 'one-based, in the text at `path`' })),
    column: Type.Optional(Type.Integer({ description: 'one-based, in UTF-16 units' })),
    length: Type.Optional(Type.Integer({ description: 'in UTF-16 units' })),
  },
  { title: 'Problem' },
)
