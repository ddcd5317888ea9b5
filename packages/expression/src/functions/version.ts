import { quote } from '../quote.ts'
import compare from 'semver/functions/compare.js'
import valid from 'semver/functions/valid.js'
import type { Call } from '../ast.ts'
import { TYPE } from '../types.ts'
import { text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'

const { boolean, number, string } = TYPE

/** Strict Semantic Versioning 2.0.0: no leading `v`, no blanks. */
function isVersion(subject: string): boolean {
  return /^\d/.test(subject) && subject.length <= 256 && valid(subject) !== null && subject.trim() === subject
}

function version(node: Call, index: number, argument: Argument): string {
  const subject = text(node, index, argument)
  if (!isVersion(subject)) throw failures.badArgument(node, index, fault(subject))
  return subject
}

function fault(subject: string): string {
  return `${quote(subject)} is not a semantic version such as \`1.2.3\``
}

const VERSION = (name: string): Parameter => ({
  name,
  type: string,
  refuses: (literal) => (isVersion(literal) ? undefined : fault(literal)),
})

/** Semantic versions. */
export const VERSIONS: readonly FunctionDefinition[] = [
  {
    name: 'semver_compare',
    parameters: [VERSION('a'), VERSION('b')],
    returns: number,
    cost: 400,
    implementation: (_runtime, node, left, right) => compare(version(node, 0, left), version(node, 1, right)),
  },
  {
    name: 'semver_is_valid',
    parameters: [{ name: 'text', type: string }],
    returns: boolean,
    cost: 400,
    implementation: (_runtime, node, subject) => subject !== null && isVersion(text(node, 0, subject)),
  },
]
