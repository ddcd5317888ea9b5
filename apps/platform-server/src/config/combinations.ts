import type { Combination } from '@engine/process'
import type { OPTIONS } from './options.ts'

type Row = Combination<typeof OPTIONS>

/** A row for an option that has no effect without another. */
const needs = (key: keyof typeof OPTIONS, flag: string, other: keyof typeof OPTIONS, otherFlag: string): Row => ({
  flag,
  wrong: (values) => values[key] !== undefined && values[other] === undefined,
  reason: `it needs ${otherFlag}`,
})

/** Options that contradict each other, or that have no effect alone. */
export const COMBINATIONS: readonly Row[] = [
  {
    flag: '--port',
    wrong: ({ httpAddr, port }, _given, flag) =>
      flag('port') && flag('httpAddr') && httpAddr?.port !== undefined && httpAddr.port !== port,
    reason: '--http-addr names another port',
  },
  needs('httpTlsCert', '--http-tls-cert', 'httpTlsKey', '--http-tls-key'),
  needs('httpTlsKey', '--http-tls-key', 'httpTlsCert', '--http-tls-cert'),
  needs('smtpUrl', '--smtp-url', 'smtpFrom', '--smtp-from'),
  needs('smtpFrom', '--smtp-from', 'smtpUrl', '--smtp-url'),
  needs('oidcIssuer', '--oidc-issuer', 'oidcClientId', '--oidc-client-id'),
  needs('oidcIssuer', '--oidc-issuer', 'oidcClientSecretFile', '--oidc-client-secret-file'),
  needs('oidcClientId', '--oidc-client-id', 'oidcIssuer', '--oidc-issuer'),
  needs('oidcClientSecretFile', '--oidc-client-secret-file', 'oidcIssuer', '--oidc-issuer'),
  {
    flag: '--access-log',
    wrong: ({ accessLog, logLevel }) => accessLog && (logLevel === 'error' || logLevel === 'warn'),
    reason: 'has no effect with --log-level `error` or `warn`: requests are logged at level `info`',
    isHarmless: true,
  },
]
