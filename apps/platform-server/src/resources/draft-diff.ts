import { Type } from 'typebox'

const change = { path: Type.String(), before: Type.Unknown(), after: Type.Unknown() }

export const Diff = Type.Object(
  {
    config: Type.Array(Type.Object(change), { description: 'all that is not a step; pointers into the ruleset' }),
    steps_added: Type.Array(Type.String()),
    steps_removed: Type.Array(Type.String()),
    steps_changed: Type.Array(Type.Object({ id: Type.String(), ...change }), {
      description: 'pointers into the step; branches, columns and rows are named by their ids',
    }),
  },
  { title: 'DraftDiff' },
)
