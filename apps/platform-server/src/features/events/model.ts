import { type Static, Type } from 'typebox'
import { orNull, Time } from '../../resources/resource-fields.ts'

/** Announces that the caller has a ruleset open; it expires unless renewed. */
export const PresenceRequest = Type.Object(
  {
    step_id: orNull(
      Type.String({ maxLength: 256, description: 'the step that is being looked at or edited; null: none of them' }),
    ),
  },
  { title: 'PresenceRequest', examples: [{ step_id: 'age' }] },
)

const Present = Type.Object({
  type: Type.Union([Type.Literal('user'), Type.Literal('key')]),
  id: Type.String({ description: 'of the user or key' }),
  name: Type.String(),
  step_id: orNull(Type.String()),
  since: Time('since when there'),
})

/** Data of the event `presence`, and the response to a renewal. */
export const Presence = Type.Object(
  {
    ruleset: Type.String(),
    present: Type.Array(Present, { description: 'all who are there now, those who came first at the front' }),
  },
  { title: 'Presence' },
)
export type Presence = Static<typeof Presence>
