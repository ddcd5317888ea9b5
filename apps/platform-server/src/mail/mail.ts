import type { Configuration } from '../config/config.ts'

/** Sends mails. */
export interface Mail {
  /** Rejects if the mail server does not accept the mail. */
  send(to: string, subject: string, text: string): Promise<void>
  close(): void
}

/** Timeout of each step of the connection to the server. */
const STEP_TIMEOUT_MS = 10_000

/** Undefined if no server is configured: links are shown instead. Connects when the first mail is sent. */
export async function openMail({
  smtpUrl,
  smtpFrom,
}: Pick<Configuration, 'smtpUrl' | 'smtpFrom'>): Promise<Mail | undefined> {
  if (smtpUrl === undefined || smtpFrom === undefined) return undefined
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password is never sent in plain text.
    requireTLS: username !== '',
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    // Mail texts come from this program and never refer to a file or an address to be read while sending.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(to, subject, text) {
      await transport.sendMail({ from: smtpFrom, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
