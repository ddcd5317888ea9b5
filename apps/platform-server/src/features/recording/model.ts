import { type Static, Type } from 'typebox'
import { Id, Time } from '../../resources/resource-fields.ts'

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
  },
  { title: 'RecordedDecision' },
)
export type RecordedDecision = Static<typeof RecordedDecision>

/** Search parameters of decisions. */
export const DECISION_FILTERS = {
  environment: Type.String({ description: 'id or name' }),
  code: Type.String({ description: 'result code' }),
  from: Type.String({ format: 'date-time', description: 'the first moment' }),
  to: Type.String({ format: 'date-time', description: 'the moment before which a decision is' }),
} as const
