import type { Value } from '@engine/expression'
import { type Static, Type } from 'typebox'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'
import { Ruleset } from '../drafts/model.ts'

const Values = Type.Unsafe<{ readonly [key: string]: Value }>(Type.Object({}, { additionalProperties: true }))
const Stubs = Type.Unsafe<{ readonly [key: string]: Value }>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'by `service.method` the answer of an external call, or `{error: text}` for one that fails; none is made',
    },
  ),
)
const Milliseconds = Time('for `now()`; default: the present')

/** Executes a ruleset that was not saved, with stubs for external calls. */
export const TraceRequest = Type.Object(
  { ruleset: Ruleset, input: Values, now: Type.Optional(Milliseconds), stubs: Type.Optional(Stubs) },
  {
    title: 'TraceRequest',
    examples: [
      {
        ruleset: {
          config: { name: 'adult-check', version: '1.0.0' },
          startStepId: 'age',
          steps: [
            {
              id: 'age',
              name: 'Adult?',
              type: 'decision',
              branches: [{ id: 'b1', condition: 'age >= 18', nextStepId: 'adult' }],
              defaultNextStepId: 'minor',
            },
            { id: 'adult', type: 'terminal', code: 'ADULT' },
            { id: 'minor', type: 'terminal', code: 'MINOR' },
          ],
        },
        input: { age: 20 },
      },
    ],
  },
)

const Branch = Type.Object({
  path: Type.String({ description: 'JSON pointer of the branch or row in the ruleset' }),
  condition: Type.String(),
  taken: Type.Boolean(),
  fields: Values,
  error: Type.Optional(Type.String()),
})
const TracedStep = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.String(),
    duration_us: Type.Optional(Type.Integer({ description: 'where the execution ended with a decision' })),
    branch: Type.Optional(Type.String({ description: 'id of the branch or row that was taken; none: the default' })),
    branches: Type.Optional(
      Type.Array(Branch, { description: 'those that were tried, the last one true unless none was' }),
    ),
    values: Values,
  },
  { title: 'TracedStep' },
)

/** The result of an execution, with each step entered and each branch evaluated. */
export const Traced = Type.Object(
  {
    code: orNull(Type.String()),
    message: orNull(Type.String()),
    output: Type.Union([Values, Type.Null()]),
    duration_us: Type.Integer(),
    trace: Type.Object({
      path: Type.String({ description: 'ids of the steps, joined by ` -> `' }),
      steps: Type.Array(TracedStep),
      truncated: Type.Optional(Type.Boolean({ description: 'more steps were entered than are shown' })),
    }),
    error: Type.Optional(
      Type.Object({ message: Type.String(), code: Type.String(), step_id: Type.Optional(Type.String()) }),
    ),
  },
  { title: 'TracedExecution' },
)

/** Maximum number of cases of one suite. */
export const MAX_CASES = 5000

/** Maximum number of cases of one file, which may contain several suites. */
export const MAX_IN_FILE = 20_000

const Expectation = Type.Object(
  {
    code: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    output: Type.Optional(Type.Unsafe<Value>({ description: 'the keys that are listed; with `exact` the whole' })),
    exact: Type.Optional(Type.Boolean()),
    path: Type.Optional(Type.Array(Type.String(), { maxItems: 10_000, description: 'ids of steps' })),
    tolerance: Type.Optional(Type.Number({ minimum: 0, description: 'by which numbers may differ' })),
    error: Type.Optional(Type.String({ description: 'a part of the message' })),
  },
  { title: 'Expectation' },
)
const CaseName = Type.String({ minLength: 1, maxLength: 500 })
const caseMembers = {
  input: Type.Optional(Values),
  now: Type.Optional(Milliseconds),
  stubs: Type.Optional(Stubs),
}

/** A test case to add: an input and the expected result. */
export const CaseRequest = Type.Object(
  { name: CaseName, ...caseMembers, expect: Expectation },
  { title: 'CaseRequest', examples: [{ name: 'of age', input: { age: 20 }, expect: { code: 'ADULT' } }] },
)
export type CaseRequest = Static<typeof CaseRequest>
const CaseInSuite = Type.Object(
  { id: Type.Optional(Id), name: CaseName, ...caseMembers, expect: Expectation },
  { title: 'CaseInSuite', description: 'with the `id` of a case of the suite it is that one' },
)

/** A stored test case. */
export const Case = Type.Object(
  { id: Id, name: Type.String(), ...caseMembers, input: Values, expect: Expectation },
  { title: 'Case' },
)
export type Case = Static<typeof Case>

const SuiteName = Type.String({ minLength: 1, maxLength: 200 })
const SuiteCases = Type.Array(CaseInSuite, { maxItems: MAX_CASES })

/** Replaces the cases of a suite, or creates it. */
export const SuiteRequest = Type.Object(
  { name: SuiteName, cases: SuiteCases },
  {
    title: 'SuiteRequest',
    examples: [{ name: 'default', cases: [{ name: 'of age', input: { age: 20 }, expect: { code: 'ADULT' } }] }],
  },
)
export type SuiteRequest = Static<typeof SuiteRequest>

/** One route creates both: a suite with its cases, or a single case in the default suite. */
export const SuiteOrCase = Type.Object(
  {
    name: CaseName,
    cases: Type.Optional(SuiteCases),
    ...caseMembers,
    expect: Type.Optional(Expectation),
  },
  {
    title: 'SuiteOrCase',
    examples: [{ name: 'of age', input: { age: 20 }, expect: { code: 'ADULT' } }],
    description: 'with `cases` a suite, with `expect` a case of the suite `default`',
  },
)

/** The test cases of a ruleset under one name. */
export const TestSuite = Type.Object(
  { ...RECORD, name: Type.String(), cases: Type.Array(Case) },
  { title: 'TestSuite' },
)
export type TestSuite = Static<typeof TestSuite>

/** The save to test, and the cases to run. */
export const RunRequest = Type.Object(
  {
    seq: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'default: the last save' })),
    case_ids: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: MAX_CASES, description: 'default: all; `coverage` is that of these' }),
    ),
  },
  { title: 'RunRequest', examples: [{ seq: 3 }] },
)
export type RunRequest = Static<typeof RunRequest>

/** An empty object: a run of all suites has no settings. */
export const NoSettings = Type.Object({}, { title: 'ProjectRunRequest', examples: [{}] })

const Covered = Type.Object({
  covered: Type.Integer(),
  total: Type.Integer(),
  missing: Type.Array(Type.String(), { description: 'in words, 100 at most' }),
})
const results = {
  total: Type.Integer(),
  passed: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(
    Type.Object({
      suite: Type.String(),
      case_id: Id,
      name: Type.String(),
      passed: Type.Boolean(),
      failures: Type.Array(Type.Object({ kind: Type.String(), message: Type.String() })),
      actual: Type.Object({
        code: orNull(Type.String()),
        message: orNull(Type.String()),
        output: Type.Union([Values, Type.Null()]),
        path: Type.Array(Type.String()),
        error: Type.Optional(Type.String()),
      }),
      duration_us: Type.Integer(),
    }),
  ),
  coverage: Type.Object({ steps: Covered, branches: Covered, rows: Covered }),
}

/** Results of all cases of one ruleset, with the coverage of its steps, branches and table rows. */
export const TestRun = Type.Object(results, { title: 'TestRun' })
export type TestRun = Static<typeof TestRun>

/** Results of all cases of a project, by ruleset. */
export const ProjectRun = Type.Object(
  {
    total: Type.Integer(),
    passed: Type.Integer(),
    failed: Type.Integer(),
    rulesets: Type.Array(Type.Object({ name: Type.String(), ...results })),
  },
  { title: 'ProjectTestRun' },
)
export type ProjectRun = Static<typeof ProjectRun>

/** Test cases from a file, grouped by the suites that they name. */
export const ImportRequest = Type.Object(
  {
    ruleset: Type.Optional(Type.String({ description: 'its name, as exported' })),
    cases: Type.Array(
      Type.Object(
        { suite: Type.Optional(SuiteName), name: CaseName, ...caseMembers, expect: Expectation },
        { title: 'ImportedCase' },
      ),
      { maxItems: MAX_IN_FILE },
    ),
  },
  {
    title: 'ImportRequest',
    examples: [
      {
        ruleset: 'adult-check',
        cases: [{ suite: 'default', name: 'of age', input: { age: 20 }, expect: { code: 'ADULT' } }],
      },
    ],
  },
)
