import { branchesOf, subRuleOf } from './documents.ts'
import type { ProbedPlace } from '../loop-delay/place.ts'
import type { Request } from '../loop-delay/requests.ts'

/** What lists of a contract may have at most, but for the field that a change adds; values of one list of values. */
const [FIELDS, CODES, VALUES] = [4999, 1000, 1000] as const
/** Fields with lists of values: a contract has 100,000 values at most. */
const LISTED = 60
/** Rulesets of the project that a fact's usage is searched in. */
const RULESETS = 200
/** Concepts that lead to each other, and bytes of a sub-rule. */
const [CONCEPTS, SUB_RULE] = [100, 1024 * 1024 - 4096] as const

/** As large as a contract may be: fields with lists of values, and outputs. */
function largestContract(version: string, more: readonly object[] = []) {
  const values = Array.from({ length: VALUES }, (_, index) => index)
  const fields = Array.from({ length: FIELDS }, (_, index) => ({
    name: `group${index % 50}.field${index}`,
    type: 'integer',
    ...(index < LISTED && { enum: values }),
  }))
  const outputs = Array.from({ length: CODES }, (_, index) => ({
    code: `CODE_${index}`,
    fields: [
      { name: 'a', type: 'number' },
      { name: 'b', type: 'concept:c0' },
    ],
  }))
  return JSON.stringify({ name: 'largest', version, input: { fields: [...fields, ...more] }, outputs })
}

/** Facts, concepts and contracts, as many and as large as they may be. */
export async function ofCatalog({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const put = async (to: string, body: object) => {
    const { status, text } = await send('POST', `${path}/${to}`, JSON.stringify(body))
    if (status !== 201) throw new Error(`${to}: ${status} ${text.slice(0, 500)}`)
  }
  // Each refers to the one before: a change of the first reaches all.
  for (let index = 0; index < CONCEPTS; index++) {
    const type = index === 0 ? 'number' : `concept:c${index - 1}`
    await put('concepts', { name: `c${index}`, fields: [{ name: 'x', type }] })
  }
  await put('facts', { name: 'a', type: 'number' })
  await put('contracts', {
    name: 'shared',
    version: '1.0.0',
    input: { fields: [{ name: 'a', type: 'number' }] },
    outputs: [{ code: 'DONE', fields: [] }],
  })
  for (let index = 0; index < RULESETS; index++) {
    const { config, ...rest } = branchesOf(4000, `r${index}`) as { readonly config: object }
    await put(`rulesets/r${index}`, {
      ruleset: { ...rest, config: { ...config, contract: 'shared' } },
      expected_seq: 0,
    })
  }
  await send('POST', `${path}/contracts`, largestContract('1.0.0'))
  const one = `${path}/contracts/largest`
  let minor = 0
  let type = 0
  const get = (title: string, to: string): Request => ({ title, status: 200, send: () => send('GET', path + to) })
  return [
    {
      title: 'check a change of a contract of 5,000 fields',
      status: 200,
      send: () => send('POST', `${one}/check`, largestContract('1.1.0', [{ name: 'more', type: 'string' }])),
    },
    {
      title: 'replace it',
      status: 200,
      send: () => send('PUT', one, largestContract(`1.${++minor}.0`, [{ name: 'more', type: 'string' }])),
    },
    get('read it', '/contracts/largest'),
    get('list contracts', '/contracts'),
    get('its JSON Schema', '/contracts/largest/schema'),
    get('its OpenAPI', '/contracts/largest/openapi'),
    get('its TypeScript', '/contracts/largest/types'),
    {
      title: 'change a concept on which 99 others depend',
      status: 200,
      send: () =>
        send(
          'PUT',
          `${path}/concepts/c0`,
          `{"fields":[{"name":"x","type":"${++type % 2 === 0 ? 'number' : 'string'}"}]}`,
        ),
    },
    get('list 100 concepts', '/concepts?limit=200'),
    get('list 200 rulesets', '/rulesets?limit=200'),
    get('usage of a fact, 200 rulesets', '/facts/a/usage?limit=200'),
    get('the same with another type', '/facts/a/usage?limit=200&type=string'),
  ]
}

/** Versions of a sub-rule of 1 MiB. */
export async function ofVersions({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const one = `${path}/sub-rules/steps`
  const content = JSON.stringify(subRuleOf(SUB_RULE))
  for (const [seq, factor] of ['1', '2'].entries())
    await send(
      'PUT',
      one,
      JSON.stringify({ ...JSON.parse(content.replaceAll('+ 1"', `+ ${factor}"`)), expected_seq: seq }),
    )
  const get = (title: string, to: string): Request => ({ title, status: 200, send: () => send('GET', one + to) })
  return [
    get('list versions of a sub-rule', '/versions'),
    get('read a version of 1 MiB', '/versions/1'),
    get('what differs between two versions, all', '/diff?from=1&to=2'),
  ]
}
