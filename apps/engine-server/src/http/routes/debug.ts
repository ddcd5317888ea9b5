import { EvalRequest, SignatureRejection } from '@engine/api'
import { numbersOf, type Value } from '@engine/expression'
import { Type } from 'typebox'
import { EngineError } from '../../errors.ts'
import {
  type Route,
  type RouteRequest,
  API,
  read,
  readAs,
  readEvaluation,
  readText,
  runOf,
  nameOf,
  text,
} from '../route.ts'

const DebugRequest = Type.Object({ input: Type.Object({}) })
const InlineRequest = Type.Object({ ruleset: Type.Object({}), input: Type.Object({}) })

/** Only with `--debug-mode`, because they show values of inputs. */
export const DEBUG_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: `${API}/debug/execute/:name`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'Execute a ruleset and show every condition, field and variable on the path',
    group: 'Debugging',
    body: DebugRequest,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      const numbers = request.services.execution.numbersOf(nameOf(request))
      const { input } = await read<{ input: Value }>(request, DebugRequest, { numbers })
      return text(200, await debugOf(request).execute(nameOf(request), input, runOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/debug/execute-inline`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'Execute a ruleset from the request body and show every condition, field and variable on the path',
    group: 'Debugging',
    body: InlineRequest,
    answers: { 200: Type.Object({}), 403: SignatureRejection },
    async handle(request) {
      type Inline = { readonly ruleset: Value; readonly input: Value }
      const json = await readText(request)
      const found = await readAs<Inline>(json, InlineRequest, { duplicateKeys: 'refuse' })
      const numbers = numbersOf(found.ruleset)
      const { ruleset, input } = numbers === 'decimal' ? await readAs<Inline>(json, InlineRequest, { numbers }) : found
      return text(200, await debugOf(request).executeInline(ruleset, input, runOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/debug/eval`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'Evaluate an expression and show its tokens, tree, code and the value of each part',
    group: 'Debugging',
    body: EvalRequest,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      const { expression, context, numbers } = await readEvaluation(request)
      return text(200, await debugOf(request).evaluate(expression, context, numbers))
    },
  },
]

function debugOf({ services }: RouteRequest) {
  if (services.debug === undefined) throw new EngineError('not-found', 'debug mode is off (--debug-mode)')
  return services.debug
}
