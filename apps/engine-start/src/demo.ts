import { jsonValue, stringifyJson, type Value } from '@engine/expression'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The rulesets of the demonstration: those of the templates that it is made of. */
export const COUPONS = 'ecommerce_coupon'
export const SHIPPING = 'shipping_quote'
export const PAYMENTS = 'fraud_screening'
/** The environment that customers of the shop see. */
export const LIVE_ENVIRONMENT = 'prod'

/** The platform's description of its demonstration (apps/platform-server/src/features/demo/demo-file.ts). */
export interface Demo {
  readonly connectToken: string
  readonly apiKey: string
  /** Key of an administrator, who sets the project up. */
  readonly adminKey: string
  readonly platformUrl: string
  readonly projectId: string
  readonly environment: string
  readonly ruleset: string
  readonly input: Value
  /** Undefined: no engine serves it yet. */
  readonly engineUrl: string | undefined
}

/** The demonstration of a run of the platform; undefined: it is not there yet. */
export async function readDemo(dataDir: string, pid: number | undefined): Promise<Demo | undefined> {
  const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const state = jsonValue(text) as { readonly [key: string]: Value }
  if (state['pid'] !== pid) return undefined
  const textOf = (key: string) => {
    const value = state[key]
    return typeof value === 'string' ? value : ''
  }
  return {
    connectToken: textOf('connect_token'),
    apiKey: textOf('api_key'),
    adminKey: textOf('admin_key'),
    platformUrl: textOf('platform_url'),
    projectId: textOf('project_id'),
    environment: textOf('environment'),
    ruleset: textOf('ruleset'),
    input: state['input'] ?? {},
    engineUrl: state['engine_url'] === null ? undefined : textOf('engine_url'),
  }
}

/** The link of the first sign-in; undefined: it was used. */
export async function readLink(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'first-sign-in.url'), 'utf8').catch(() => undefined)
  return text?.trim()
}

interface DemoRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The request that decides through the platform. */
function requestOf({ platformUrl, projectId, ruleset, environment, apiKey, input }: Demo): DemoRequest {
  return {
    url: `${platformUrl}/api/v1/engine/${projectId}/execute/${ruleset}`,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-environment': environment,
    },
    body: stringifyJson({ input }),
  }
}

/** Whether the request is decided. */
export async function isDecided(demo: Demo): Promise<boolean> {
  const { url, headers, body } = requestOf(demo)
  try {
    const { status } = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
    return status === 200
  } catch {
    return false
  }
}

/** A text in single quotes for shells. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The request as a command. */
export function curlOf(demo: Demo): string {
  const { url, headers, body } = requestOf(demo)
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [`curl -s ${url}`, ...lines, `-d ${quoted(body)}`].join(' \\\n    ')
}
