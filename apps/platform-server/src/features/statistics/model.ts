import { Type } from 'typebox'
import { Id, orNull, Time } from '../../resources/resource-fields.ts'

const Microseconds = (description: string) => orNull(Type.Number({ description }))

const Point = Type.Object({
  at: Time('where the step begins'),
  executions: Type.Integer(),
  errors: Type.Integer(),
  codes: Type.Record(Type.String(), Type.Integer(), { description: 'decisions by result code' }),
})

const ContentStats = Type.Object({
  digest: Type.String(),
  version: orNull(Type.String({ description: 'with which it was published or released; null: no longer known' })),
  executions: Type.Integer({ description: 'with those that failed' }),
  errors: Type.Integer(),
  codes: Type.Record(Type.String(), Type.Integer(), { description: 'decisions by result code' }),
  latency_us: Type.Object(
    {
      mean: Microseconds('of all'),
      p50: Microseconds('upper bound of its bucket'),
      p90: Microseconds('upper bound of its bucket'),
      p99: Microseconds('upper bound of its bucket; null: beyond 10 s'),
    },
    { description: 'null: nothing was executed' },
  ),
  points: Type.Array(Point, { description: 'steps in which something was executed' }),
})

/** How often the engines took each branch of one content of a ruleset, by environment. */
export const BranchCounts = Type.Object(
  {
    from: Time('where the first day begins (UTC)'),
    environments: Type.Array(
      Type.Object({
        environment_id: Id,
        environment: Type.String(),
        executions: Type.Integer({ description: 'of the content, since `from`' }),
        branches: Type.Record(Type.String(), Type.Array(Type.Integer()), {
          description:
            'by step of the engine format: numbers in the order of the branches, last that of the default, or of no branch',
        }),
      }),
      { description: 'those in which engines have executed the content' },
    ),
  },
  { title: 'BranchCounts' },
)

/** Executions, result codes and latency of a ruleset, by environment and content. */
export const RulesetStats = Type.Object(
  {
    from: Time('of the span'),
    to: Time('of the span'),
    step_seconds: Type.Integer(),
    environments: Type.Array(
      Type.Object({
        environment_id: Id,
        environment: Type.String(),
        contents: Type.Array(ContentStats, { description: 'the one that decided last at the front' }),
      }),
    ),
  },
  { title: 'RulesetStats' },
)
