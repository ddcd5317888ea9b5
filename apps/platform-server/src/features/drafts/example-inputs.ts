import { isList, isObject } from '@engine/expression'
import type { ExampleInput } from '../../compute/tasks.ts'
import { isShorter } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'

/** Maximum number of saved test inputs that seed an analysis. */
const MAX_EXAMPLES = 200
/** Maximum number of suites to read for them, and maximum size of each as JSON. */
const [MAX_SUITES, MAX_SUITE_BYTES] = [20, 64 * 1024] as const

/** The inputs of the first saved tests of a ruleset; large suites are skipped. */
export async function exampleInputs(scope: Scope, draftId: string): Promise<readonly ExampleInput[]> {
  const suites = await scope
    .read('test_suites')
    .selectFrom('test_suites')
    .select('cases')
    .where('draft_id', '=', draftId)
    .where(isShorter('cases', MAX_SUITE_BYTES))
    .orderBy('name')
    .limit(MAX_SUITES)
    .execute()
  return suites
    .flatMap(({ cases }) => (isList(cases) ? cases : []))
    .map((one) => (isObject(one) ? one['input'] : undefined))
    .filter((input) => input !== undefined && isObject(input))
    .slice(0, MAX_EXAMPLES)
}
