import { type Static, Type } from 'typebox'
import { orNull, RECORD, Time } from '../../resources/resource-fields.ts'

const Percent = Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'of the requests through the proxy' })

const members = {
  ...RECORD,
  ruleset: Type.String(),
  from_seq: Type.Integer({ description: 'the save that runs next to the live content' }),
  digest: Type.String({ description: 'of that content' }),
  environment: Type.String({ description: 'name' }),
  percent: Percent,
  ends_at: Time('after which nothing is compared any more'),
  requests: Type.Integer({ minimum: 0, description: 'about which both have decided' }),
  changed: Type.Integer({ minimum: 0, description: 'of these, those with another code, message or output' }),
  dropped: Type.Integer({
    minimum: 0,
    description: 'requests that were not compared: too large, or too many at the same time',
  }),
}

/** A candidate that decides in parallel to the live version, only for comparison. */
export const Shadow = Type.Object(members, { title: 'Shadow' })
export type Shadow = Static<typeof Shadow>

const Example = Type.Object({
  input: Type.Unknown({ description: 'masked values are `***`' }),
  live: Type.Unknown({
    description:
      '`{code, message, output}`; `{refused: [{path, code}]}`: its contract refused the input; null: it failed',
  }),
  candidate: Type.Unknown({ description: 'the same of the candidate' }),
})

const Transition = Type.Object({
  from: orNull(
    Type.String({
      description: 'code of the live decision; `error:INVALID_INPUT`: the input was refused; null: it failed',
    }),
  ),
  to: orNull(Type.String({ description: 'code of the candidate' })),
  count: Type.Integer({ minimum: 1 }),
  examples: Type.Array(Example, { description: 'the first ones' }),
})

/** Like a shadow, with the changed results. */
export const ShadowReport = Type.Object(
  {
    ...members,
    transitions: Type.Array(Transition, { description: 'decisions that differ, the most frequent first' }),
  },
  { title: 'ShadowReport' },
)
export type ShadowReport = Static<typeof ShadowReport>

/** Starts a shadow. One runs per ruleset and environment. */
export const ShadowRequest = Type.Object(
  {
    ruleset: Type.String({ minLength: 1, maxLength: 128 }),
    from_seq: Type.Integer({ minimum: 1 }),
    environment: Type.String({ minLength: 1, maxLength: 64, description: 'id or name' }),
    percent: Percent,
    ends_at: Type.String({ format: 'date-time', maxLength: 64, description: 'at most 30 days from now' }),
  },
  {
    title: 'ShadowRequest',
    examples: [
      { ruleset: 'adult-check', from_seq: 4, environment: 'prod', percent: 10, ends_at: '2030-01-31T00:00:00Z' },
    ],
  },
)
export type ShadowRequest = Static<typeof ShadowRequest>
