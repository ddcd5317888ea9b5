import type { DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { call } from '../api/client.ts'
import { keyOf, queryClient } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import type { components } from '../api/schema.ts'
import { ask } from '../language/language.ts'
import { replaceTest, type SavedTest, TESTS, testsIn } from '../saved-tests/saved-test.ts'
import { renamedContract, renamedInput } from './renamed.ts'

type Fact = components['schemas']['Fact']
type ContractDocument = components['schemas']['ContractDocument']

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const FACTS = `${PROJECT}/facts` as const
const FACT = `${FACTS}/{name}` as const
const CONTRACT = `${PROJECT}/contracts/{name}` as const
const RULESET = `${PROJECT}/rulesets/{name}` as const

/** A ruleset that reads the fact. */
export interface ChangedRuleset {
  readonly name: string
  /** The sequence number of the save to change. */
  readonly seq: number
  /** Undefined if only its contract or its tests use the fact, not its rules. */
  readonly draft: DraftRuleset | undefined
  /** Number of occurrences of the fact in the rules. */
  readonly places: number
  /** Tests whose inputs contain the fact, with the new name. */
  readonly tests: readonly SavedTest[]
}

/** Everything that changes when a fact is renamed. */
export interface RenamePlan {
  readonly fact: Fact
  readonly to: string
  /** Each contract with its previous version. */
  readonly contracts: readonly { readonly before: string; readonly after: ContractDocument }[]
  readonly rulesets: readonly ChangedRuleset[]
}

/** The project of a fact. */
interface Scope {
  readonly oid: string
  readonly pid: string
}

/** Plan the rename of a fact without changing anything. Costs one request per contract and ruleset that uses it. */
export async function planRename(scope: Scope, fact: Fact, to: string): Promise<RenamePlan> {
  const from = fact.name
  const contracts: { before: string; after: ContractDocument }[] = []
  const rulesets: ChangedRuleset[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const query = cursor === undefined ? {} : { cursor }
    const page = await call('get', `${FACT}/usage`, { path: { ...scope, name: from }, query })
    if (isFirst)
      for (const { name } of page.contracts) {
        const before = await call('get', CONTRACT, { path: { ...scope, name } })
        contracts.push({ before: before.version, after: renamedContract(before, from, to) })
      }
    for (const { name } of page.items) rulesets.push(await changedRuleset(scope, name, from, to))
    cursor = page.next_cursor ?? undefined
  }
  return { fact, to, contracts, rulesets }
}

async function changedRuleset(scope: Scope, name: string, from: string, to: string): Promise<ChangedRuleset> {
  const path = { ...scope, name }
  const [stored, suites] = await Promise.all([call('get', RULESET, { path }), call('get', TESTS, { path })])
  const { draft, places } = await ask('renameField', { draft: rulesetOf(stored), from, to })
  const tests = testsIn(suites.items).flatMap((test): SavedTest[] => {
    const input: Value = renamedInput(test.input, from, to)
    return input === test.input ? [] : [{ ...test, input }]
  })
  return { name, seq: stored.seq, draft: places === 0 ? undefined : draft, places, tests }
}

/**
 * Rename a fact: create the new one, change contracts, rulesets and tests, and delete the old one.
 *
 * @param done keys of completed changes: after a failure, a repeated call continues with the others
 */
export async function renameFact(scope: Scope, plan: RenamePlan, done: Set<string>): Promise<void> {
  const { fact, to, contracts, rulesets } = plan
  const { type, description, example, tags } = fact
  const once = async (key: string, change: () => Promise<unknown>) => {
    if (done.has(key)) return
    await change()
    done.add(key)
  }
  try {
    await once('fact', () => call('post', FACTS, { path: scope, body: { name: to, type, description, example, tags } }))
    for (const { after } of contracts)
      await once(`contract ${after.name}`, () =>
        call('put', CONTRACT, { path: { ...scope, name: after.name }, body: after }),
      )
    for (const { name, seq, draft, tests } of rulesets) {
      const path = { ...scope, name }
      if (draft !== undefined)
        await once(`ruleset ${name}`, () =>
          call('post', RULESET, { path, body: { ruleset: { ...draft }, expected_seq: seq } }),
        )
      for (const test of tests) await once(`test ${test.id}`, () => replaceTest(path, test))
    }
    await once('deletion', () => call('delete', FACT, { path: { ...scope, name: fact.name } }))
  } finally {
    for (const path of [FACTS, `${PROJECT}/contracts`, CONTRACT, RULESET])
      await queryClient.invalidateQueries({ queryKey: keyOf(path) })
  }
}
