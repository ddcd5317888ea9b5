import {
  type ArchivedCase,
  checkInput,
  checkTerminals,
  conceptNamed,
  type Contract,
  convertDraft,
  type DraftRuleset,
  declaredFields,
  fieldReads,
  writeArchive,
} from '@engine/authoring'
import { type Value } from '@engine/expression'
import { yamlForm } from '@engine/rule-file'
import { createProgram, decodeRuleset, inspect } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { testHost } from '../../../../../packages/ruleset/src/host.testing.ts'
import { TEMPLATE_IDS } from '../../template-ids.ts'
import { type Template, Templates } from './templates.ts'

const templates = await new Templates().all()

test('there are the templates of the interface, and no other', async () => {
  expect(templates.map(({ id }) => id)).toEqual([...TEMPLATE_IDS])
  expect(await new Templates().one('../templates/tax')).toBeUndefined()
})

describe.each(templates)('the template $id', (template) => {
  const { archive, files } = template

  test('is written as the archive of a project is', () => {
    const inOrder = files.toSorted((left, right) => (left.path < right.path ? -1 : 1))
    expect(writeArchive(archive, yamlForm)).toEqual(inOrder)
  })

  test('has every part of a project', () => {
    const { project, rulesets, contracts, facts, concepts, subRules } = archive
    expect(project.description).toBeTruthy()
    expect(project.environments.map(({ name }) => name)).toEqual(['dev', 'staging', 'prod'])
    expect(rulesets.map(({ config }) => config.numbers)).toEqual(rulesets.map(() => 'decimal'))
    for (const list of [rulesets, contracts, facts, concepts, subRules]) expect(list).not.toEqual([])
    const used = rulesets.flatMap(({ steps }) => steps.map((step) => (step.type === 'sub_rule' ? step.refName : '')))
    for (const { name } of subRules) expect(used).toContain(name)
    for (const ruleset of rulesets) {
      expect(ruleset.samples?.length).toBeGreaterThan(1)
      expect(casesOf(template, ruleset).length).toBeGreaterThan(5)
    }
    expect(rulesets.some(({ steps }) => steps.some(({ type }) => type === 'table'))).toBe(true)
    const fields = contracts.flatMap(({ input }) => input.fields)
    const described = facts.filter(({ type }) => !type.startsWith('concept:'))
    const typed = (list: readonly { readonly name: string; readonly type: string }[]) =>
      Object.fromEntries(list.map(({ name, type }) => [name, type]))
    // Facts have one number type.
    const asFacts = fields.map(({ name, type }) => ({ name, type: type === 'integer' ? 'number' : type }))
    expect(typed(described)).toEqual(typed(asFacts))
    expect(facts.every(({ description = '' }) => description !== '')).toBe(true)
  })

  test('uses each of its facts, concepts, contracts and sub-rules, without duplicates', () => {
    const { rulesets, contracts, facts, concepts, subRules } = archive
    const fields = contracts.flatMap(({ input }) => input.fields)
    const unread = fields.filter(({ name }) => rulesets.every((draft) => fieldReads(draft, name).count === 0))
    expect(unread).toEqual([])
    // A fact is a field, or groups some: then the fields are those of its concept.
    for (const { name, type } of facts) {
      const below = fields.filter((field) => field.name.startsWith(`${name}.`))
      if (fields.some((field) => field.name === name)) expect(below).toEqual([])
      else expect(typesOf(below, `${name}.`)).toEqual(typesOf(conceptFields(archive, type)))
    }
    const types = [...facts, ...fields, ...contracts.flatMap(({ outputs }) => outputs.flatMap((one) => one.fields))]
    const named = new Set(types.map(({ type }) => conceptNamed(type)))
    expect(concepts.filter(({ name }) => !named.has(name))).toEqual([])
    const attached = new Set(rulesets.map(({ config }) => config.contract))
    expect(contracts.filter(({ name }) => !attached.has(name))).toEqual([])
    const steps = [...rulesets, ...subRules.map(({ graph }) => graph)].flatMap((graph) => graph.steps)
    const used = new Set(steps.map((step) => (step.type === 'sub_rule' ? step.refName : undefined)))
    expect(subRules.filter(({ name }) => !used.has(name))).toEqual([])
    // Defaults are those of the contract.
    for (const { config } of rulesets) expect([config.defaults, config.fieldMissing]).toEqual([undefined, undefined])
  })

  describe.each(archive.rulesets)('ruleset $config.name', (draft) => {
    const { ruleset, contract, concepts } = convertedOf(template, draft)

    test.each(casesOf(template, draft))('$name', async (one) => {
      expect(checkInput(contract, one.input, concepts)).toEqual([])
      const result = await createProgram(ruleset, testHost()).execute(one.input)
      const { code, message, output = {}, exact = false, tolerance = 0 } = one.expect
      expect(result.code).toBe(code)
      if (message !== undefined) expect(result.message).toBe(message)
      const found = result.output
      const compared = exact ? found : Object.fromEntries(Object.keys(output).map((key) => [key, found[key]]))
      expect(compared).toEqual(within(output, tolerance))
      expect(checkInput(outputContract(contract, result.code), found)).toEqual([])
    })

    test('samples satisfy the contract and are decided', async () => {
      for (const { input } of draft.samples ?? []) {
        expect(checkInput(contract, input, concepts)).toEqual([])
        expect((await createProgram(ruleset, testHost()).execute(input)).code).toBeTruthy()
      }
    })

    test('cases pass through every step, and reach every code of the contract', async () => {
      const entered = new Set<string>()
      const codes = new Set<string | undefined>()
      for (const { input } of casesOf(template, draft)) {
        const { steps, result } = await inspect(ruleset, testHost(), input)
        for (const { id } of steps) entered.add(id)
        codes.add(result?.code)
      }
      expect([...ruleset.steps.keys()].filter((id) => !entered.has(id))).toEqual([])
      expect(codes).toEqual(new Set(contract.outputs.map(({ code }) => code)))
    })
  })
})

const typesOf = (fields: readonly { readonly name: string; readonly type: string }[], prefix = '') =>
  Object.fromEntries(fields.map(({ name, type }) => [name.slice(prefix.length), type]))

const conceptFields = ({ concepts }: Template['archive'], type: string) =>
  concepts.find(({ name }) => name === conceptNamed(type))?.fields ?? []

function casesOf({ archive }: Template, { config }: DraftRuleset): readonly ArchivedCase[] {
  return archive.suites.filter(({ ruleset }) => ruleset === config.name).flatMap(({ cases }) => cases)
}

function convertedOf({ archive }: Template, draft: DraftRuleset) {
  const contract = archive.contracts.find(({ name }) => name === draft.config.contract)
  if (contract === undefined) throw new Error('it has no contract')
  const concepts = new Map(archive.concepts.map(({ name, fields }) => [name, fields]))
  const subRules = new Map(archive.subRules.map(({ name, graph }) => [name, graph]))
  const converted = convertDraft(draft, { subRules, fields: declaredFields(contract, concepts) })
  expect([...converted.problems, ...checkTerminals(draft, contract)]).toEqual([])
  const { ruleset } = decodeRuleset(converted.ruleset ?? {})
  if (ruleset === undefined) throw new Error('the engine does not take it')
  return { ruleset, contract, concepts }
}

/** Numbers of an expected output, with the deviation that a case allows. */
function within(output: { readonly [key: string]: Value }, tolerance: number): object {
  return Object.fromEntries(
    Object.entries(output).map(([key, value]) => {
      const isLoose = typeof value === 'number' && tolerance > 0
      return [key, isLoose ? expect.toSatisfy((found: unknown) => Math.abs(Number(found) - value) <= tolerance) : value]
    }),
  )
}

/** The outputs of a code as a contract of their own, so that they are held to their types. */
function outputContract(contract: Contract, code: string): Contract {
  const fields = contract.outputs.find((output) => output.code === code)?.fields ?? []
  return { ...contract, input: { fields: fields.map((field) => ({ ...field, required: true })) } }
}
