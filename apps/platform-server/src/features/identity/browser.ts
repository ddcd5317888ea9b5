import type { Caller } from '../../access/caller.ts'
import type { Cookies } from '../../http/cookies.ts'
import type { UncheckedRequest } from '../../http/route.ts'
import { SESSION_SECONDS } from './sessions.ts'
import type { Browser, SignedIn } from './sign-in.ts'

/** A device cookie lasts a year; afterwards, attempts from the browser count as those of strangers. */
const DEVICE_SECONDS = 365 * 24 * 3600

/** The browser that sent a request. */
export function browserOf(
  { raw, address, requestId }: Pick<UncheckedRequest, 'raw' | 'address' | 'requestId'>,
  caller: Caller | undefined,
  cookies: Cookies,
): Browser {
  return {
    address,
    requestId,
    userAgent: raw.headers['user-agent'],
    sessionId: caller?.kind === 'user' ? caller.sessionId : undefined,
    device: cookies.read(raw, 'device'),
  }
}

/** The cookies of a new session. */
export function sessionCookies({ session, device }: SignedIn, cookies: Cookies): readonly string[] {
  const own = cookies.write('session', session, SESSION_SECONDS)
  return device === undefined ? [own] : [own, cookies.write('device', device, DEVICE_SECONDS)]
}
