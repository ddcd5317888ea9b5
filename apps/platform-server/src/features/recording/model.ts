import { RecordedCall, RecordedViolation } from '@engine/api'
import { type Static, Type } from 'typebox'
import { Id, orNull, Time } from '../../resources/resource-fields.ts'

const Outcome = Type.Union([Type.Literal('decided'), Type.Literal('refused')], {
  description: '`refused`: its contract refused the input',
})
export type Outcome = Static<typeof Outcome>

/** One decision that an engine sampled, or an input that it refused, with masked input and output (docs/platform/recording.md). */
export const RecordedDecision = Type.Object(
  {
    id: Id,
    at: Time('of the decision, by the clock of the engine'),
    environment: Type.String({ description: 'name' }),
    digest: Type.String({ description: 'of the content that decided' }),
    input: Type.Unknown({ description: 'masked values are `***`' }),
    outcome: Outcome,
    code: orNull(Type.String({ description: 'null: the input was refused' })),
    violations: orNull(
      Type.Array(RecordedViolation, { description: 'the first 100 of a refused input; null: it was decided' }),
    ),
    output: Type.Unknown({ description: 'masked like the input; null: the input was refused' }),
    receipt: orNull(
      Type.Object(
        {
          server_id: Id,
          instance: Type.String({ description: '`<instance id>/<UUID>` of the log' }),
          seq: Type.Integer({ minimum: 0, description: 'number of the entry' }),
        },
        { description: 'place of the receipt (docs/receipts.md); null: it has none' },
      ),
    ),
    calls: orNull(
      Type.Array(RecordedCall, {
        description:
          'the external calls whose answers it waited for, masked like the input; null: they are not recorded',
      }),
    ),
  },
  { title: 'RecordedDecision' },
)
export type RecordedDecision = Static<typeof RecordedDecision>

/** Search parameters of decisions. */
export const DECISION_FILTERS = {
  environment: Type.String({ description: 'id or name' }),
  outcome: Type.Union(Outcome.anyOf, {
    description: '`decided` or `refused`; default: decisions are listed, and both are deleted',
  }),
  code: Type.String({ description: 'result code' }),
  receipt: Type.String({ description: 'place of the receipt: `<instance>#<seq>`', maxLength: 200 }),
  from: Type.String({ format: 'date-time', description: 'the first moment' }),
  to: Type.String({ format: 'date-time', description: 'the moment before which a decision is' }),
} as const
