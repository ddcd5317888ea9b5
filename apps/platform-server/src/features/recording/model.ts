import { type Static, Type } from 'typebox'
import { Id, orNull, Time } from '../../resources/resource-fields.ts'

/** One decision that an engine sampled, with masked input and output (docs/platform/recording.md). */
export const RecordedDecision = Type.Object(
  {
    id: Id,
    at: Time('of the decision, by the clock of the engine'),
    environment: Type.String({ description: 'name' }),
    digest: Type.String({ description: 'of the content that decided' }),
    input: Type.Unknown({ description: 'masked values are `***`' }),
    code: Type.String(),
    output: Type.Unknown({ description: 'masked like the input' }),
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
  },
  { title: 'RecordedDecision' },
)
export type RecordedDecision = Static<typeof RecordedDecision>

/** Search parameters of decisions. */
export const DECISION_FILTERS = {
  environment: Type.String({ description: 'id or name' }),
  code: Type.String({ description: 'result code' }),
  receipt: Type.String({ description: 'place of the receipt: `<instance>#<seq>`', maxLength: 200 }),
  from: Type.String({ format: 'date-time', description: 'the first moment' }),
  to: Type.String({ format: 'date-time', description: 'the moment before which a decision is' }),
} as const
