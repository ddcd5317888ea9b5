import { delay } from '@engine/process'
import { bindDemo, type Demo, DEMO_ENVIRONMENT, type DemoParts, newDemoTokens, openDemo } from './demo.ts'
import { readDemoTokens, writeDemoState } from './demo-file.ts'

/** Milliseconds between two searches for an engine. */
const POLL_INTERVAL_MS = 200

/** The data directory of the demo, and the URL of the platform. */
export interface DemoPlace {
  readonly dataDir: string
  readonly platformUrl: string
}

/**
 * Create the missing parts of the demo, keep the existing ones, and let the first engine of the organization serve it.
 * Resolves once an engine does, or when `closing` is aborted.
 */
export async function runDemo(parts: DemoParts, { dataDir, platformUrl }: DemoPlace, closing: AbortSignal) {
  const begun = new Date()
  const demo = await openDemo(parts)
  const tokens = (await readDemoTokens(dataDir, demo.project.id)) ?? (await newDemoTokens(parts.database, demo))
  const state = {
    ...tokens,
    pid: process.pid,
    platform_url: platformUrl,
    project_id: demo.project.id,
    environment: DEMO_ENVIRONMENT,
    ruleset: demo.ruleset,
    input: { ...demo.input },
  }
  await writeDemoState(dataDir, { ...state, engine_url: null })
  const url = await engineOf(parts, demo, begun, closing)
  if (url !== undefined) await writeDemoState(dataDir, { ...state, engine_url: url })
}

async function engineOf(parts: DemoParts, demo: Demo, since: Date, closing: AbortSignal): Promise<string | undefined> {
  while (!closing.aborted) {
    const url = await bindDemo(parts, demo, since)
    if (url !== undefined) return url
    await delay(POLL_INTERVAL_MS)
  }
  return undefined
}
