import { quote } from '@engine/expression'
import { type Feel, FeelFault, type RulesPolicy } from '../feel/ast.ts'
import { shapeOfFeel } from '../feel/expansion.ts'
import { parseFeel, parseUnaryTests } from '../feel/parser.ts'
import type { FeelScope } from '../feel/scope.ts'
import { typeOfShape } from '../feel/shape.ts'
import { writeValue } from '../feel/write.ts'
import type { XmlElement } from '../xml/tree.ts'
import { childOf, childrenOf, textOf } from './definitions.ts'
import { literalList } from './expression.ts'
import { foreignLanguageOf } from './language.ts'

/** Maximum number of rules of a table within an expression. */
const MAX_RULES = 500

/** Hit policies by their DMN names, with the aggregations of `COLLECT`; `isRanked`: by the order of the output values. */
const POLICIES: { readonly [name: string]: { readonly policy: RulesPolicy; readonly isRanked?: true } } = {
  UNIQUE: { policy: 'unique' },
  FIRST: { policy: 'first' },
  PRIORITY: { policy: 'first', isRanked: true },
  ANY: { policy: 'any' },
  'RULE ORDER': { policy: 'list' },
  'OUTPUT ORDER': { policy: 'list', isRanked: true },
  COLLECT: { policy: 'list' },
  'COLLECT SUM': { policy: 'sum' },
  'COLLECT MIN': { policy: 'min' },
  'COLLECT MAX': { policy: 'max' },
  'COLLECT COUNT': { policy: 'count' },
}

interface Output {
  readonly name: string
  /** The values in priority order, in our syntax. */
  readonly values: readonly string[] | undefined
  readonly byDefault: Feel | undefined
}

/** A decision table within an expression, such as the logic of a function. Linear in its size. Throws `FeelFault`. */
export function tableExpression(element: XmlElement, name: string, scope: FeelScope): Feel {
  const rules = childrenOf(element, 'rule')
  if (rules.length > MAX_RULES)
    throw new FeelFault(`a decision table within an expression may have at most ${MAX_RULES} rules`)
  const { policy, isRanked } = policyOf(element)
  const inputs = childrenOf(element, 'input').map((input) => parsed(childOf(input, 'inputExpression'), scope))
  const outputs = childrenOf(element, 'output').map((output) => outputOf(output, scope))
  const read = rules.map((rule) => ({
    condition: conditionOf(childrenOf(rule, 'inputEntry'), inputs, scope),
    values: valuesOf(childrenOf(rule, 'outputEntry'), outputs, scope),
  }))
  const ordered = isRanked ? rankedRules(read, outputs, scope) : read
  const made = ordered.map(({ condition, values }) => ({ condition, value: contextOf(outputs, values) }))
  if (policy === 'sum' || policy === 'min' || policy === 'max')
    requireNumbers(
      made.map(({ value }) => value),
      scope,
    )
  const defaults = outputs.map(({ byDefault }) => byDefault ?? NULL)
  const hasDefault = outputs.some(({ byDefault }) => byDefault !== undefined)
  if (hasDefault && policy !== 'first' && policy !== 'unique' && policy !== 'any')
    throw new FeelFault('a default output of a table within an expression that has several results')
  return { kind: 'rules', name, policy, rules: made, otherwise: hasDefault ? contextOf(outputs, defaults) : NULL }
}

const NULL: Feel = { kind: 'literal', value: null }

function policyOf({ attributes }: XmlElement): (typeof POLICIES)[string] {
  const policy = attributes.get('hitPolicy') ?? 'UNIQUE'
  const aggregation = attributes.get('aggregation')
  const name = aggregation === undefined || policy !== 'COLLECT' ? policy : `${policy} ${aggregation}`
  const found = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined
  if (found === undefined) throw new FeelFault(`unknown hit policy ${quote(name)}`)
  return found
}

function parsed(element: XmlElement | undefined, scope: FeelScope): Feel {
  const text = textOf(element)
  const language = element && foreignLanguageOf(element)
  if (language !== undefined) throw new FeelFault(`the language ${quote(language)}`)
  return within(text, () => parseFeel(text, scope))
}

/** Names the text of an unreadable part in the error. */
function within<Result>(text: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FeelFault)) throw error
    throw new FeelFault(`in ${quote(text.slice(0, 100))}, ${error.message}`)
  }
}

function outputOf(element: XmlElement, scope: FeelScope): Output {
  const values = childOf(element, 'outputValues')
  const entry = childOf(element, 'defaultOutputEntry')
  return {
    name: element.attributes.get('name') ?? '',
    values: values && literalList(textOf(values), scope),
    byDefault: entry && parsed(entry, scope),
  }
}

function conditionOf(entries: readonly XmlElement[], inputs: readonly Feel[], scope: FeelScope): Feel {
  if (entries.length !== inputs.length) throw new FeelFault('a rule has other entries than the table has columns')
  const conditions = inputs.flatMap((value, index): readonly Feel[] => {
    const text = textOf(entries[index])
    const { tests, isNegated } = within(text, () => parseUnaryTests(text, scope))
    if (tests.length === 0) return []
    const membership: Feel = { kind: 'membership', value, tests }
    return [isNegated ? { kind: 'not', operand: membership } : membership]
  })
  const [first = TRUE, ...others] = conditions
  return others.reduce((left, right): Feel => ({ kind: 'logic', operator: 'and', left, right }), first)
}

const TRUE: Feel = { kind: 'literal', value: true }

function valuesOf(entries: readonly XmlElement[], outputs: readonly Output[], scope: FeelScope): readonly Feel[] {
  if (entries.length !== outputs.length) throw new FeelFault('a rule has other entries than the table has columns')
  return entries.map((entry) => (textOf(entry) === '' ? NULL : parsed(entry, scope)))
}

/** The value of a rule: its only output, or a context of all. */
function contextOf(outputs: readonly Output[], values: readonly Feel[]): Feel {
  const [only = NULL] = values
  if (outputs.length === 1) return only
  return { kind: 'context', entries: outputs.map(({ name }, index) => [name, values[index] ?? NULL] as const) }
}

function requireNumbers(values: readonly Feel[], scope: FeelScope): void {
  if (values.some((value) => typeOfShape(shapeOfFeel(value, scope.shapeOf)) !== 'number'))
    throw new FeelFault('the outputs of an aggregation are not known to be numbers')
}

interface ReadRule {
  readonly condition: Feel
  readonly values: readonly Feel[]
}

/** The rules by the priority of their outputs, which must be literals. */
function rankedRules(rules: readonly ReadRule[], outputs: readonly Output[], scope: FeelScope): readonly ReadRule[] {
  const ranked = rules.map((rule) => ({
    rule,
    rank: outputs.flatMap(({ values }, index) =>
      values === undefined ? [] : [values.indexOf(writeValue(rule.values[index] ?? NULL, scope).text)],
    ),
  }))
  if (outputs.every(({ values }) => values === undefined) || ranked.some(({ rank }) => rank.includes(-1)))
    throw new FeelFault('priorities require a list of output values that contains every output entry')
  const compared = (left: readonly number[], right: readonly number[]) =>
    left.map((rank, index) => rank - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0
  return ranked.toSorted((left, right) => compared(left.rank, right.rank)).map(({ rule }) => rule)
}
