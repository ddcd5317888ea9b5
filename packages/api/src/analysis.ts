import { Type } from 'typebox'
import { ERROR_CODES, type ErrorCode } from './error.ts'
import type { ReadonlyStatic } from './static.ts'

/** Maximum number of inputs in one request. */
const MAX_SEEDS = 10_000
/** Maximum work of one request, in assignments of the search: some ten seconds. */
const MAX_BUDGET = 60_000_000

const Input = Type.Object({}, { additionalProperties: true })

const searching = {
  seeds: Type.Optional(
    Type.Array(Input, {
      maxItems: MAX_SEEDS,
      description: 'inputs that the search begins with, such as those of cases',
    }),
  ),
  budget: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_BUDGET,
      default: 20_000_000,
      description: 'work of the search, in assignments; beyond it the answer is `truncated`',
    }),
  ),
}

/** Request of `POST /rulesets/:name/analyze`. */
export const AnalyzeRequest = Type.Object(
  {
    domain: Type.Optional(
      Type.Enum(['any', 'contract'], {
        default: 'any',
        description: '`contract`: only inputs that keep the contract, whatever its mode. An enforced one always counts',
      }),
    ),
    ...searching,
  },
  { title: 'AnalyzeRequest', examples: [{}] },
)
export type AnalyzeRequest = ReadonlyStatic<typeof AnalyzeRequest>

const Verdict = Type.Enum(['proved', 'refuted', 'unknown'], { title: 'Verdict' })

const Stub = Type.Object(
  {
    service: Type.String(),
    method: Type.String(),
    parameters: Type.Unknown({ description: 'an object' }),
    answer: Type.Optional(Type.Unknown({ description: '`{payload, metadata}`' })),
    error: Type.Optional(Type.String({ description: 'the call fails' })),
  },
  { title: 'Stub', description: 'the answer of an external call: the first for its service, method and parameters' },
)

const Witness = Type.Object(
  {
    input: Input,
    now: Type.Optional(Type.Number({ description: 'epoch milliseconds of `now()`' })),
    stubs: Type.Optional(Type.Array(Stub, { description: 'answers of external calls, in order' })),
  },
  { title: 'Witness', description: 'an input that was executed' },
)

const Finding = Type.Object(
  {
    kind: Type.String({ description: 'docs/analysis.md#findings' }),
    place: Type.String({ description: 'JSON pointer into the ruleset' }),
    verdict: Verdict,
    severity: Type.Enum(['error', 'warning', 'info']),
    by: Type.Optional(Type.Array(Type.String(), { description: 'places of the other branches that it is about' })),
    code: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    witness: Type.Optional(Witness),
    acknowledged: Type.Optional(
      Type.Object(
        {
          reason: Type.String(),
          author: Type.Optional(Type.String({ description: 'who acknowledged it' })),
          at: Type.Optional(Type.String({ format: 'date-time', description: 'when' })),
        },
        { description: 'the author intends it: `config.intended` of a draft' },
      ),
    ),
    reason: Type.Optional(Type.String()),
  },
  { title: 'Finding', description: 'one claim about one place' },
)

/** Errors and warnings of a ruleset in the request. */
export const Findings = Type.Array(Finding)

/** Answer of `POST /rulesets/:name/analyze`. */
export const AnalysisReport = Type.Object(
  {
    ruleset: Type.String(),
    digest: Type.String(),
    callees: Type.Array(Type.Object({ name: Type.String(), digest: Type.String() }), {
      description: 'the stored rulesets that it calls, and that these call: findings hold with these contents',
    }),
    domain: Type.Enum(['any', 'contract']),
    findings: Findings,
    questions: Type.Object({ proved: Type.Integer(), refuted: Type.Integer(), unknown: Type.Integer() }),
    truncated: Type.Boolean({ description: 'the budget ended before all questions were answered' }),
  },
  { title: 'AnalysisReport' },
)

/** Request of `POST /rulesets/:name/impact`. */
export const ImpactRequest = Type.Object(
  {
    ruleset: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'the new version; the stored one is the old one' }),
    ),
    seq: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'a replaced version, which is the old one; the stored one is the new one',
      }),
    ),
    forbid: Type.Optional(
      Type.Array(Type.String({ pattern: '^.+->.+$' }), {
        maxItems: 100,
        description: 'changes of code that have to be absent, such as `DENY->ALLOW`; `*` is any code',
      }),
    ),
    ...searching,
  },
  { title: 'ImpactRequest', description: 'either `ruleset` or `seq`', examples: [{ seq: 1 }] },
)
export type ImpactRequest = ReadonlyStatic<typeof ImpactRequest>

const Side = Type.Object(
  {
    code: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    output: Type.Optional(Input),
    error: Type.Optional(Type.Object({ code: Type.String(), step: Type.String() })),
  },
  { title: 'Side', description: 'a result, or an error' },
)

/** Answer of `POST /rulesets/:name/impact`. */
export const ImpactResult = Type.Object(
  {
    diff: Type.Object({
      verdict: Type.Enum(['equivalent', 'different', 'unknown']),
      regions: Type.Array(
        Type.Object({
          condition: Type.String({ description: 'alternatives between `||` count by themselves' }),
          complete: Type.Optional(
            Type.Boolean({
              description:
                '`true`: proved that the inputs of the condition, and no others, change from `before` to `after`. `false`: others may',
            }),
          ),
          before: Side,
          after: Side,
          witness: Witness,
          recorded: Type.Optional(
            Type.Integer({ minimum: 0, description: 'recorded decisions that change and fulfil the condition' }),
          ),
        }),
      ),
      only_adds: Verdict,
      only_removes: Verdict,
      no_new_failure: Verdict,
      unknown: Type.Array(Type.Object({ place: Type.String(), reason: Type.String() })),
      truncated: Type.Boolean(),
    }),
    probes: Type.Object({ asked: Type.Integer(), changed: Type.Integer() }),
    gates: Type.Array(
      Type.Object({
        gate: Type.String(),
        verdict: Type.Unsafe<string>({ ...Verdict, description: '`proved`: met' }),
        witness: Type.Optional(Witness),
      }),
    ),
  },
  { title: 'ImpactResult' },
)

const Count = Type.Integer({ minimum: 0 })
const Sums = Type.Object({ sum: Type.Number(), mean: Type.Number() })

/** The `summary` of a replay of recorded decisions with both versions. */
export const ReplaySummary = Type.Object(
  {
    total: Count,
    replayed: Count,
    changed: Count,
    share: Type.Number({ description: 'changed by replayed; 0 if none was replayed' }),
    interval: Type.Array(Type.Number(), {
      description: 'in which the share is with a confidence of 95 %: from and to',
    }),
    transitions: Type.Array(
      Type.Object({
        from: Type.String({ description: 'result code, or `error:` and the code of an error' }),
        to: Type.String(),
        count: Count,
        examples: Type.Array(Input, { description: 'inputs' }),
      }),
    ),
    codes: Type.Array(
      Type.Object({
        code: Type.String({ description: 'result code, or `error:` and the code of an error' }),
        before: Count,
        after: Count,
      }),
      { description: 'how many replayed decisions have each result by both versions' },
    ),
    not_replayed: Type.Array(Type.Object({ reason: Type.String(), count: Count })),
    amounts: Type.Array(
      Type.Object({
        output: Type.String(),
        count: Count,
        before: Sums,
        after: Sums,
        largest: Type.Object({ change: Type.Number(), example: Input }),
        spread: Type.Optional(
          Type.Array(Type.Object({ change: Type.Number(), count: Count }), {
            description:
              'how many decisions change by how much, ascending, without those that do not; changes have two significant digits',
          }),
        ),
      }),
      { description: 'numeric outputs of decisions in which both versions have them' },
    ),
  },
  { title: 'ReplaySummary' },
)

/** Request of `POST /rulesets/:name/why-not`. */
export const WhyNotRequest = Type.Object(
  {
    input: Input,
    code: Type.String({ description: 'the result code that is wanted' }),
    changeable: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: 'paths of fields that may change; default: all' }),
    ),
  },
  { title: 'WhyNotRequest', examples: [{ input: { age: 17 }, code: 'ADULT' }] },
)
export type WhyNotRequest = ReadonlyStatic<typeof WhyNotRequest>

/** Answer of `POST /rulesets/:name/why-not`. */
export const Counterfactual = Type.Object(
  {
    verdict: Type.Enum(['found', 'impossible', 'unknown']),
    changes: Type.Array(
      Type.Object({
        path: Type.String(),
        from: Type.Optional(Type.Unknown({ description: 'absent: the field is missing' })),
        to: Type.Optional(Type.Unknown()),
        remove: Type.Optional(Type.Literal(true, { description: 'the field has to be omitted' })),
      }),
    ),
    witness: Type.Optional(Witness),
    fewest: Type.Unsafe<string>({ ...Verdict, description: 'whether no change of fewer fields is enough' }),
    reason: Type.Optional(Type.String()),
  },
  { title: 'Counterfactual' },
)

/** A ruleset with errors or warnings was not stored. */
export const AnalysisRefusal = Type.Object(
  {
    error: Type.String(),
    code: Type.Unsafe<ErrorCode>(Type.Union(ERROR_CODES.map((code) => Type.Literal(code)))),
    findings: Findings,
  },
  { title: 'AnalysisRefusal' },
)
