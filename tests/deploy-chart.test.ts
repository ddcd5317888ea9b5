import { Ajv } from 'ajv'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfiguration } from '../apps/engine-server/src/config/config.ts'
import { OPTIONS as ENGINE_OPTIONS } from '../apps/engine-server/src/config/options.ts'
import { OPTIONS as PLATFORM_OPTIONS } from '../apps/platform-server/src/config/options.ts'

/** Holds the chart, as Helm rendered it (`npm run test:chart`), to the files of Kubernetes and to the programs. */
const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const CHART = 'deploy/helm/engine'

// oxlint-disable-next-line typescript/no-explicit-any -- a document of Kubernetes, read like the YAML that it is
type Document = any

const documents = (text: string): readonly Document[] =>
  parseAllDocuments(text)
    .map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    })
    .filter((one) => one !== null)

const rendered = (name: string) => documents(read(`deploy/helm/rendered/${name}.yaml`))
const nameOf = ({ kind, metadata }: Document) => `${kind} ${metadata.name}`

/** The objects without what differs on purpose: labels of releases and versions, images, and annotations of restarts and scrapes. */
function comparable(objects: readonly Document[]): Readonly<Record<string, unknown>> {
  const without = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => without(item))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).filter(
      ([name]) =>
        !['app.kubernetes.io/instance', 'app.kubernetes.io/version', 'app.kubernetes.io/managed-by'].includes(name) &&
        !['helm.sh/chart', 'checksum/config', 'image', 'imagePullPolicy'].includes(name) &&
        !(key === 'metadata' && name === 'namespace'),
    )
    return Object.fromEntries(members.map(([name, inner]) => [name, without(inner, name)]))
  }
  return Object.fromEntries(objects.map((one) => [nameOf(one), without(one)]))
}

const bases = (folder: string) =>
  globSync(`${folder}/*.yaml`, { cwd: ROOT })
    .filter((file) => basename(file) !== 'kustomization.yaml')
    .flatMap((file) => documents(read(file)))

const ENGINE = bases('deploy/kubernetes')
const PLATFORM = bases('deploy/platform/kubernetes')

describe('the chart', () => {
  test('renders the objects of deploy/kubernetes', () => {
    expect(ENGINE.length).toBeGreaterThan(8)
    expect(comparable(rendered('default'))).toEqual(comparable(ENGINE))
  })

  test('renders those of deploy/platform/kubernetes where the platform is enabled', () => {
    const own = rendered('platform').filter(({ kind }) => kind !== 'ServiceMonitor')
    const scraped = (objects: readonly Document[]) =>
      JSON.parse(JSON.stringify(objects).replaceAll('"prometheus.io/scrape":"false"', '"prometheus.io/scrape":"true"'))
    expect(comparable(scraped(own))).toEqual(comparable([...ENGINE, ...PLATFORM]))
  })

  test('monitors each service once with the operator of Prometheus, and by annotations without', () => {
    const monitors = rendered('platform').filter(({ kind }) => kind === 'ServiceMonitor')
    expect(monitors.map(({ metadata }) => metadata.name)).toEqual(['engine-platform', 'engine-reader', 'engine-writer'])
    const services = rendered('platform').filter(({ kind }) => kind === 'Service')
    for (const { metadata, spec } of monitors) {
      const found = services.filter(({ metadata: service, spec: { ports } }) => {
        const matches = Object.entries(spec.selector.matchLabels).every(
          ([name, value]) => service.labels[name] === value,
        )
        return matches && ports.some((port: Document) => port.name === spec.endpoints[0].port)
      })
      expect(found.map(({ metadata: service }) => service.name)).toContain(metadata.name)
    }
    expect(read('deploy/helm/rendered/default.yaml')).not.toContain('ServiceMonitor')
    expect(read('deploy/helm/rendered/platform.yaml')).not.toContain('prometheus.io/scrape: "true"')
  })

  test('takes images by digest, secrets by name, and leaves network policies out', () => {
    const pinned = read('deploy/helm/rendered/pinned.yaml')
    expect(pinned.match(/image: (\S+)/g)).toEqual(
      Array.from({ length: 2 }, () => `image: registry.internal/engine@sha256:${'1'.padStart(64, '0')}`),
    )
    expect(pinned).toContain('storageClassName: fast')
    const open = rendered('open')
    expect(open.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([])
    expect(JSON.stringify(open)).toContain('"secretRef":{"name":"decisions-broker"}')
  })

  test('has the version of the packages', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version })
  })
})

describe('its values', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read(`${CHART}/values.schema.json`)))
  const defaults = parse(read(`${CHART}/values.yaml`))

  test.each(globSync('deploy/helm/values/*.yaml', { cwd: ROOT }))('%s fit the schema', (file) => {
    expect([validate(parse(read(file))), validate.errors]).toEqual([true, null])
    expect(() => read(`deploy/helm/rendered/${basename(file)}`)).not.toThrow()
  })

  test.each<[string, object]>([
    ['an unknown value', { readers: 3 }],
    ['an unknown member', { reader: { replicas: 3 } }],
    ['a number as the value of an option', { config: { ENGINE_BROKER_REPLICAS: 3 } }],
    ['an option that is no variable', { config: { 'log-level': 'info' } }],
    ['a digest of another form', { image: { repository: 'engine', digest: 'sha1:0' } }],
  ])('%s does not', (_title, values) => expect(validate(values)).toBe(false))

  test('have a default for every member of the schema', () => {
    expect([validate(defaults), validate.errors]).toEqual([true, null])
    const schema = JSON.parse(read(`${CHART}/values.schema.json`))
    for (const part of ['image', 'writer', 'reader', 'networkPolicy', 'serviceMonitor', 'platform', 'secrets'])
      expect(Object.keys(defaults[part]), part).toEqual(
        expect.arrayContaining(Object.keys(schema.properties[part].properties)),
      )
  })

  test('name options of the programs, which are accepted together', () => {
    const engine = new Set(Object.values(ENGINE_OPTIONS).map(({ env }) => env))
    const platform = new Set(Object.values(PLATFORM_OPTIONS).map(({ env }) => env))
    for (const name of Object.keys(defaults.config)) expect(engine).toContain(name)
    for (const name of Object.keys(defaults.platform.config)) expect(platform).toContain(name)
    const broker = { ENGINE_ROLE: 'reader', ENGINE_BROKER_URL: 'nats://reader:change-me@nats-1:4222' }
    expect(readConfiguration([], { ...defaults.config, ...broker }).kind).toBe('run')
  })
})
