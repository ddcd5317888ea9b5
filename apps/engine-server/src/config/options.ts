import type { EgressPolicy } from '../capabilities/egress.ts'
import type { BrokerAddress } from '../sync/broker-address.ts'
import type { Role } from '../sync/role.ts'
import {
  address,
  brokerAddress,
  hostPatterns,
  integer,
  matching,
  oneOf,
  path,
  publicKeys,
  truth,
  webAddress,
  type Address,
} from './value.ts'

/** One option of the program: how it is written, where else it is read from, and what it means. */
export interface Option<T> {
  readonly flag: `--${string}`
  readonly short?: `-${string}`
  /** Placeholder of the value in `--help`; absent for options that are true or false. */
  readonly value?: `<${string}>`
  readonly env?: `ENGINE_${string}`
  readonly initial: T
  /** How the default reads where its own text would not do. */
  readonly initialText?: string
  /** Throws `InvalidValue`. */
  readonly parse: (text: string) => T
  readonly meaning: string
}

/** The default as people read it. */
export function initialText(row: Option<unknown>): string {
  const { initial } = row
  if (row.initialText !== undefined) return row.initialText
  return typeof initial === 'string' ? initial : (JSON.stringify(initial) ?? 'none')
}

const option = <T>(row: Option<T>): Option<T> => row

/** Socket paths are limited by the kernel (`sun_path` of 108 bytes with its end). */
function socketPath(text: string): string {
  return Buffer.byteLength(path(text)) <= 107 ? text : matching(/^$/, 'a socket path of at most 107 bytes')(text)
}

/** Every option of this build, in the order of specification 8, then ours. `--help` and the docs are made from it. */
export const OPTIONS = {
  httpAddr: option<Address | undefined>({
    flag: '--http-addr',
    value: '<host:port>',
    env: 'ENGINE_HTTP_ADDR',
    initial: undefined,
    initialText: 'all interfaces, port 8080',
    parse: address,
    meaning: 'where HTTP listens: `127.0.0.1:8080`, `:8080`, `[::]:8080`',
  }),
  port: option<number | undefined>({
    flag: '--port',
    short: '-p',
    value: '<port>',
    initial: undefined,
    initialText: '8080',
    parse: integer(0, 65_535),
    meaning: 'HTTP port; a port in `--http-addr` on the command line must be the same; 0 takes a free one',
  }),
  grpcAddr: option<Address | undefined>({
    flag: '--grpc-addr',
    value: '<host:port>',
    env: 'ENGINE_GRPC_ADDR',
    initial: undefined,
    initialText: 'all interfaces, port 50051',
    parse: address,
    meaning: 'where gRPC listens',
  }),
  grpcPort: option<number | undefined>({
    flag: '--grpc-port',
    value: '<port>',
    initial: undefined,
    initialText: '50051',
    parse: integer(0, 65_535),
    meaning: 'gRPC port; a port in `--grpc-addr` on the command line must be the same; 0 takes a free one',
  }),
  udsPath: option<string | undefined>({
    flag: '--uds-path',
    value: '<path>',
    env: 'ENGINE_UDS_PATH',
    initial: undefined,
    parse: socketPath,
    meaning: 'also answer HTTP and gRPC on this Unix domain socket (mode 0660)',
  }),
  disableHttp: option<boolean>({
    flag: '--disable-http',
    env: 'ENGINE_DISABLE_HTTP',
    initial: false,
    parse: truth,
    meaning: 'no HTTP over TCP; something else must be left to listen on',
  }),
  disableGrpc: option<boolean>({
    flag: '--disable-grpc',
    env: 'ENGINE_DISABLE_GRPC',
    initial: false,
    parse: truth,
    meaning: 'no gRPC over TCP; something else must be left to listen on',
  }),
  logLevel: option<'error' | 'warn' | 'info' | 'debug'>({
    flag: '--log-level',
    value: '<level>',
    env: 'ENGINE_LOG_LEVEL',
    initial: 'info',
    parse: oneOf('error', 'warn', 'info', 'debug'),
    meaning: '`error`, `warn`, `info` or `debug`; JSON lines on standard output',
  }),
  debugMode: option<boolean>({
    flag: '--debug-mode',
    env: 'ENGINE_DEBUG_MODE',
    initial: false,
    parse: truth,
    meaning: 'answer `/api/v1/debug/*`, which show values of inputs; never in production',
  }),
  rulesDir: option<string | undefined>({
    flag: '--rules-dir',
    value: '<dir>',
    env: 'ENGINE_RULES_DIR',
    initial: undefined,
    initialText: 'none: memory only',
    parse: path,
    meaning: 'keep rulesets and their versions in this directory',
  }),
  maxVersions: option<number>({
    flag: '--max-versions',
    value: '<n>',
    env: 'ENGINE_MAX_VERSIONS',
    initial: 10,
    parse: integer(1, 100_000),
    meaning: 'replaced versions kept of each ruleset, the oldest go first; needs `--rules-dir`',
  }),
  watchRules: option<boolean>({
    flag: '--watch-rules',
    env: 'ENGINE_WATCH_RULES',
    initial: false,
    parse: truth,
    meaning: 'apply changes that other programs make to rule files; needs `--rules-dir`',
  }),
  multiTenancyEnabled: option<boolean>({
    flag: '--multi-tenancy-enabled',
    env: 'ENGINE_MULTI_TENANCY_ENABLED',
    initial: false,
    parse: truth,
    meaning:
      'rulesets belong to tenants, named by the header `x-tenant-id`; `tenants.json` in the rules directory is watched',
  }),
  auditDir: option<string | undefined>({
    flag: '--audit-dir',
    value: '<dir>',
    env: 'ENGINE_AUDIT_DIR',
    initial: undefined,
    parse: path,
    meaning: 'write audit events here, one file a day',
  }),
  auditSampleRate: option<number>({
    flag: '--audit-sample-rate',
    value: '<percent>',
    env: 'ENGINE_AUDIT_SAMPLE_RATE',
    initial: 10,
    parse: integer(0, 100),
    meaning: 'percent of executions that become audit events; can be changed while running',
  }),
  auditIncludePayload: option<boolean>({
    flag: '--audit-include-payload',
    env: 'ENGINE_AUDIT_INCLUDE_PAYLOAD',
    initial: false,
    parse: truth,
    meaning: 'put input and output of an execution into its audit event; needs `--audit-dir`',
  }),
  maxRequestBodyBytes: option<number>({
    flag: '--max-request-body-bytes',
    value: '<bytes>',
    env: 'ENGINE_MAX_REQUEST_BODY_BYTES',
    initial: 10_485_760,
    parse: integer(1024, 536_870_888),
    meaning: 'largest request body; of NDJSON: largest line',
  }),
  requestTimeoutSecs: option<number>({
    flag: '--request-timeout-secs',
    value: '<seconds>',
    env: 'ENGINE_REQUEST_TIMEOUT_SECS',
    initial: 30,
    parse: integer(1, 86_400),
    meaning: 'time to receive and answer one request; of NDJSON: time without progress',
  }),
  shutdownTimeoutSecs: option<number>({
    flag: '--shutdown-timeout-secs',
    value: '<seconds>',
    env: 'ENGINE_SHUTDOWN_TIMEOUT_SECS',
    initial: 30,
    parse: integer(1, 86_400),
    meaning: 'time to complete requests in flight after SIGTERM or SIGINT',
  }),
  watchdogSecs: option<number>({
    flag: '--watchdog-secs',
    value: '<seconds>',
    env: 'ENGINE_WATCHDOG_SECS',
    initial: 30,
    parse: integer(0, 86_400),
    meaning:
      'a process whose event loop is blocked for so long, or for `--shutdown-timeout-secs` where that is less (but 2 at least), is killed with SIGKILL, a worker also replaced; 0 is off',
  }),
  maxConnections: option<number>({
    flag: '--max-connections',
    value: '<n>',
    env: 'ENGINE_MAX_CONNECTIONS',
    initial: 10_000,
    parse: integer(1, 1_000_000),
    meaning:
      'connections that are open at once at each address, with `--workers` at all of them; further ones are closed',
  }),
  maxUnreadBodyBytes: option<number>({
    flag: '--max-unread-body-bytes',
    value: '<bytes>',
    env: 'ENGINE_MAX_UNREAD_BODY_BYTES',
    initial: 268_435_456,
    parse: integer(1024, 1_099_511_627_776),
    meaning:
      'memory for request bodies that have begun to arrive, over all connections (with `--workers` each has its part); further bodies are answered with 503. Never less than `--max-request-body-bytes`',
  }),
  executionTimeoutMs: option<number>({
    flag: '--execution-timeout-ms',
    value: '<ms>',
    env: 'ENGINE_EXECUTION_TIMEOUT_MS',
    initial: 5000,
    parse: integer(0, 3_600_000),
    meaning: 'time limit of an execution whose ruleset has no `timeout_ms`; 0 is off',
  }),
  signatureEnabled: option<boolean>({
    flag: '--signature-enabled',
    env: 'ENGINE_SIGNATURE_ENABLED',
    initial: false,
    parse: truth,
    meaning: 'verify the signatures of rulesets; unsigned ones are accepted',
  }),
  signatureRequire: option<boolean>({
    flag: '--signature-require',
    env: 'ENGINE_SIGNATURE_REQUIRE',
    initial: false,
    parse: truth,
    meaning: 'reject unsigned rulesets; needs `--signature-enabled` and a trusted key',
  }),
  signatureTrustedKeys: option<readonly string[]>({
    flag: '--signature-trusted-keys',
    value: '<keys>',
    env: 'ENGINE_SIGNATURE_TRUSTED_KEYS',
    initial: [],
    initialText: 'none',
    parse: publicKeys,
    meaning: 'public keys whose signatures are trusted, base64, separated by commas',
  }),
  signatureTrustedKeysFile: option<string | undefined>({
    flag: '--signature-trusted-keys-file',
    value: '<file>',
    env: 'ENGINE_SIGNATURE_TRUSTED_KEYS_FILE',
    initial: undefined,
    parse: path,
    meaning: 'more of them, one a line, `#` begins a comment',
  }),
  signatureAllowUnsignedLocal: option<boolean>({
    flag: '--signature-allow-unsigned-local',
    env: 'ENGINE_SIGNATURE_ALLOW_UNSIGNED_LOCAL',
    initial: true,
    parse: truth,
    meaning:
      'accept unsigned files of the rules directory at start, also with `--signature-require`; with `false` an unsigned file or upload is refused also without it',
  }),
  signatureBindTenant: option<boolean>({
    flag: '--signature-bind-tenant',
    env: 'ENGINE_SIGNATURE_BIND_TENANT',
    initial: false,
    parse: truth,
    meaning:
      'a signed ruleset must name its tenant in `config.tenant_id`, so that its signature is invalid for other tenants; needs `--signature-enabled` and `--multi-tenancy-enabled`',
  }),
  signatureMinVersion: option<string | undefined>({
    flag: '--signature-min-version',
    value: '<file>',
    env: 'ENGINE_SIGNATURE_MIN_VERSION',
    initial: undefined,
    initialText: 'none: any version',
    parse: path,
    meaning: 'minimum version of each ruleset, `<ruleset> <version>` a line; needs `--signature-enabled`',
  }),
  networkHttpPolicy: option<EgressPolicy | undefined>({
    flag: '--network-http-policy',
    value: '<policy>',
    env: 'ENGINE_NETWORK_HTTP_POLICY',
    initial: undefined,
    initialText: '`allowlist` with `--network-http-allow`, else `public`',
    parse: oneOf('open', 'public', 'allowlist'),
    meaning:
      'addresses that rules may call: `open` any, `public` private ones only where allowed, `allowlist` only allowed ones; never link-local or cloud metadata addresses',
  }),
  networkHttpAllow: option<readonly string[]>({
    flag: '--network-http-allow',
    value: '<hosts>',
    env: 'ENGINE_NETWORK_HTTP_ALLOW',
    initial: [],
    initialText: 'none',
    parse: hostPatterns,
    meaning: 'hosts that rules may call, separated by commas: `api.example.com`, `*.example.com:443`, `10.0.0.0/8`',
  }),
  metricsEnabled: option<boolean>({
    flag: '--metrics-enabled',
    env: 'ENGINE_METRICS_ENABLED',
    initial: true,
    parse: truth,
    meaning: 'answer `/metrics`; off with `--metrics-enabled=false`',
  }),
  workers: option<number>({
    flag: '--workers',
    value: '<n>',
    env: 'ENGINE_WORKERS',
    initial: 1,
    parse: integer(1, 64),
    meaning: 'processes that answer; beyond 1, one more owns the store and hands the connections to them',
  }),
  serviceName: option<string>({
    flag: '--service-name',
    value: '<name>',
    env: 'ENGINE_SERVICE_NAME',
    initial: 'engine-server',
    parse: matching(/^\S.{0,254}$/, 'a name of 1 to 255 characters'),
    meaning: 'the name in traces and logs',
  }),
  otlpEndpoint: option<string | undefined>({
    flag: '--otlp-endpoint',
    value: '<url>',
    env: 'ENGINE_OTLP_ENDPOINT',
    initial: undefined,
    initialText: 'none: no traces',
    parse: webAddress,
    meaning: 'send traces here (OTLP over HTTP, protobuf); `/v1/traces` is added',
  }),
  role: option<Role>({
    flag: '--role',
    value: '<role>',
    env: 'ENGINE_ROLE',
    initial: 'standalone',
    parse: oneOf('standalone', 'writer', 'reader'),
    meaning: '`standalone`, `writer` or `reader`; a reader answers every change with 409',
  }),
  brokerUrl: option<BrokerAddress | undefined>({
    flag: '--broker-url',
    value: '<url>',
    env: 'ENGINE_BROKER_URL',
    initial: undefined,
    initialText: 'none: no sync',
    parse: brokerAddress,
    meaning:
      'NATS with JetStream, over which a writer publishes changes to readers: `nats://[user:password@]host:port`, `tls://…`, several with commas; needs `--role`',
  }),
  brokerSubjectPrefix: option<string>({
    flag: '--broker-subject-prefix',
    value: '<prefix>',
    env: 'ENGINE_BROKER_SUBJECT_PREFIX',
    initial: 'engine.rules',
    parse: matching(
      /^(?=.{1,128}$)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
      'words of letters, digits, `_` or `-`, with dots between them',
    ),
    meaning: 'prefix of the subjects of events; fleets with different ones may share a broker',
  }),
  brokerCredentialsFile: option<string | undefined>({
    flag: '--broker-credentials-file',
    value: '<file>',
    env: 'ENGINE_BROKER_CREDENTIALS_FILE',
    initial: undefined,
    parse: path,
    meaning: 'credentials file (`.creds`) of the broker, instead of a user in the URL; read for each connection',
  }),
  brokerNkeyFile: option<string | undefined>({
    flag: '--broker-nkey-file',
    value: '<file>',
    env: 'ENGINE_BROKER_NKEY_FILE',
    initial: undefined,
    parse: path,
    meaning: 'seed of the nkey (`SU…`) of a user of the broker, instead of a user in the URL; read for each connection',
  }),
  brokerTlsCertFile: option<string | undefined>({
    flag: '--broker-tls-cert-file',
    value: '<file>',
    env: 'ENGINE_BROKER_TLS_CERT_FILE',
    initial: undefined,
    parse: path,
    meaning: 'certificate (PEM) that the broker asks for; read for each connection',
  }),
  brokerTlsKeyFile: option<string | undefined>({
    flag: '--broker-tls-key-file',
    value: '<file>',
    env: 'ENGINE_BROKER_TLS_KEY_FILE',
    initial: undefined,
    parse: path,
    meaning: 'key (PEM) of that certificate',
  }),
  brokerTlsFirst: option<boolean>({
    flag: '--broker-tls-first',
    env: 'ENGINE_BROKER_TLS_FIRST',
    initial: false,
    parse: truth,
    meaning: 'begin with TLS, where the broker has `handshake_first`',
  }),
  brokerOtherWriters: option<boolean>({
    flag: '--broker-other-writers',
    env: 'ENGINE_BROKER_OTHER_WRITERS',
    initial: false,
    parse: truth,
    meaning: 'the writer takes over what publishers of other make change, in the order of the stream',
  }),
  brokerDomain: option<string | undefined>({
    flag: '--broker-domain',
    value: '<name>',
    env: 'ENGINE_BROKER_DOMAIN',
    initial: undefined,
    parse: matching(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, `_` or `-`'),
    meaning: 'JetStream domain that holds stream and bucket, as seen from a leaf node',
  }),
  brokerReplicas: option<number>({
    flag: '--broker-replicas',
    value: '<n>',
    env: 'ENGINE_BROKER_REPLICAS',
    initial: 1,
    parse: integer(1, 5),
    meaning: 'replicas of stream and bucket in a cluster of brokers; the writer configures them',
  }),
  writerAddr: option<string | undefined>({
    flag: '--writer-addr',
    value: '<address>',
    env: 'ENGINE_WRITER_ADDR',
    initial: undefined,
    parse: matching(/^\S{1,2048}$/, 'an address without blanks'),
    meaning: 'address of the writer, which a reader names when it refuses a change',
  }),
  instanceId: option<string | undefined>({
    flag: '--instance-id',
    value: '<id>',
    env: 'ENGINE_INSTANCE_ID',
    initial: undefined,
    initialText: 'random',
    parse: matching(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, `_` or `-`'),
    meaning:
      'name of this instance in health, audit and traces, and of its consumer of the stream; unique for each instance',
  }),
  apiTokensFile: option<string | undefined>({
    flag: '--api-tokens-file',
    value: '<file>',
    env: 'ENGINE_API_TOKENS_FILE',
    initial: undefined,
    initialText: 'none: no access control',
    parse: path,
    meaning:
      'require tokens; one `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]` a line, scopes `read`, `execute`, `write`, `admin`',
  }),
  httpTlsCert: option<string | undefined>({
    flag: '--http-tls-cert',
    value: '<file>',
    env: 'ENGINE_HTTP_TLS_CERT',
    initial: undefined,
    parse: path,
    meaning: 'certificate chain (PEM) for HTTP over TCP; needs `--http-tls-key`',
  }),
  httpTlsKey: option<string | undefined>({
    flag: '--http-tls-key',
    value: '<file>',
    env: 'ENGINE_HTTP_TLS_KEY',
    initial: undefined,
    parse: path,
    meaning: 'private key (PEM) of `--http-tls-cert`',
  }),
  grpcTlsCert: option<string | undefined>({
    flag: '--grpc-tls-cert',
    value: '<file>',
    env: 'ENGINE_GRPC_TLS_CERT',
    initial: undefined,
    initialText: 'none: plain text',
    parse: path,
    meaning: 'certificate chain (PEM) for gRPC over TCP; needs `--grpc-tls-key`',
  }),
  grpcTlsKey: option<string | undefined>({
    flag: '--grpc-tls-key',
    value: '<file>',
    env: 'ENGINE_GRPC_TLS_KEY',
    initial: undefined,
    parse: path,
    meaning: 'private key (PEM) of `--grpc-tls-cert`',
  }),
  grpcTlsClientCa: option<string | undefined>({
    flag: '--grpc-tls-client-ca',
    value: '<file>',
    env: 'ENGINE_GRPC_TLS_CLIENT_CA',
    initial: undefined,
    initialText: 'none: clients need no certificate',
    parse: path,
    meaning:
      'certificates (PEM) of which one must have signed the certificate of a gRPC client; needs `--grpc-tls-cert`',
  }),
  grpcOriginService: option<boolean>({
    flag: '--grpc-origin-service',
    env: 'ENGINE_GRPC_ORIGIN_SERVICE',
    initial: false,
    parse: truth,
    meaning: "answer gRPC also under the names of the specification's origin, `ordo.v1.OrdoService`",
  }),
  seedDir: option<string | undefined>({
    flag: '--seed-dir',
    value: '<dir>',
    env: 'ENGINE_SEED_DIR',
    initial: undefined,
    parse: path,
    meaning: 'store `<dir>/*/ruleset.json` (or `.yaml`) at start when the store is new',
  }),
} as const

/** A key of the table. */
export type OptionKey = keyof typeof OPTIONS

/** The values of all options. */
export type OptionValues = {
  readonly [K in OptionKey]: (typeof OPTIONS)[K] extends Option<infer T> ? T : never
}
