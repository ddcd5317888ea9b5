import type { HeldRuleset } from '@engine/api'
import { stringifyJson, type Value } from '@engine/expression'
import { isLarge, jsonText } from '@engine/process'

/** Maximum stored size of an engine's problems, in characters; the first ones are kept. */
const MAX_PROBLEMS = 256 * 1024

/** Serialize an engine's report for storage. Health and problems appear in lists of many engines, so their size is limited. */
export async function reported(told: {
  readonly health: unknown
  readonly problems: readonly unknown[]
  /** Undefined keeps the previous report. */
  readonly rulesets: readonly HeldRuleset[] | undefined
}): Promise<{ readonly health: string; readonly problems: string; readonly rulesets: string | undefined }> {
  return {
    health: healthOf(told.health as Value),
    problems: problemsOf(told.problems as readonly Value[]),
    rulesets: told.rulesets && (await jsonText(told.rulesets.map(heldOf))),
  }
}

/** A health report that is too large is reduced to its status. */
function healthOf(health: Value): string {
  return isLarge(health) ? stringifyJson({ status: isWell(health) ? 'healthy' : 'unhealthy' }) : stringifyJson(health)
}

function problemsOf(problems: readonly Value[]): string {
  const texts: string[] = []
  let room = MAX_PROBLEMS
  for (const problem of problems) {
    if (isLarge(problem)) continue
    const text = stringifyJson(problem)
    room -= text.length
    if (room < 0) break
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}

/** Drops members that the platform does not know. */
function heldOf({ tenant, name, version, digest, delivered }: HeldRuleset): Value {
  return {
    ...(tenant !== undefined && { tenant }),
    name,
    ...(version !== undefined && { version }),
    digest,
    ...(delivered !== undefined && { delivered }),
  }
}

/** True if an engine reports itself healthy; an engine that reports nothing counts as healthy. */
export function isWell(health: unknown): boolean {
  if (health === null) return true
  const { status, healthy } = (typeof health === 'object' ? health : { status: health }) as {
    readonly status?: unknown
    readonly healthy?: unknown
  }
  return status === undefined ? healthy !== false : status === 'healthy' || status === 'ok' || status === true
}
