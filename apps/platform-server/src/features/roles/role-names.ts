import { ACTIONS, BUILT_IN_ROLES } from '../../access/actions.ts'
import { failures } from '../../errors.ts'

/** Characters that people may mistake for each letter: similar letters of other scripts, digits and signs. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аАαΑɑᴀ@4Ꭺꓮᗅᗩ',
  b: 'вВΒЬᏴꓐ',
  c: 'сСϲϹᴄᏟꓚⅽᑕ',
  d: 'ԁԀɗᴅᎠꓓᗞᗪ',
  e: 'еЕεΕєҽᴇ3Ꭼꓰ',
  f: 'ғϝꜰꓝᖴ',
  g: 'ɡցɢԌᏀꓖ',
  h: 'һҺнНΗհʜᎻꓧᕼ',
  i: 'іІιΙıɩɪӏӀlL1|ʟᎥꓲ',
  j: 'јЈϳᴊᎫꓙᒍ',
  k: 'кКκΚᴋᏦꓗ',
  m: 'мМΜᴍᎷꓟᗰ',
  n: 'пПΝηոռɴꓠᑎ',
  o: 'оОοΟσօᴏ0ꓳⲟⲞ𐐄ᎾჿՕ',
  p: 'рРρΡᴘᏢꓑᑭ',
  q: 'ԛ',
  r: 'гГᴦʀᎡꓣᖇ',
  s: 'ѕЅꜱ5$Ꮪꓢᔕ',
  t: 'тТτΤᴛ7Ꭲꓔ',
  u: 'υսᴜꓴᑌ',
  v: 'νѵᴠᏙꓦᐯ',
  w: 'ԝԜωѡшШᴡᎳꓪᗯ',
  x: 'хХχΧꓫ',
  y: 'уУγΥʏᎩꓬ',
  z: 'ᴢΖᏃꓜ',
}
const LETTERS = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, similar]) => Array.from(similar, (one) => [one, letter] as const)),
)
/** Pairs of letters that look like a single one. */
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/ci/g, 'd'],
]

/**
 * The skeleton of a name, which is equal for names that look alike (similar to UTS 39): without case, accents,
 * invisible characters, punctuation and white space, and with one letter for all similar ones. Dots are kept, because
 * names of actions contain them.
 */
function skeletonOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{M}\p{C}]/gu, '')
  const pointed = plain.replaceAll(/[\u00B7\u2022\u2027\u3002\u06D4\u30FB]/g, '.')
  // Applied before and after the case conversion: the upper-case and the lower-case form may resemble different
  // letters.
  const alike = (text: string) => Array.from(text, (one) => LETTERS.get(one) ?? one).join('')
  const letters = alike(alike(pointed).toLowerCase()).replaceAll(/[^\p{L}\p{N}.]/gu, '')
  return PAIRS.reduce((text, [pair, letter]) => text.replaceAll(pair, letter), letters)
}

/** A letter of a script without a table of similar letters: among Latin letters it matches any letter. */
const UNKNOWN = /[^\p{Script=Latin}\p{N}.]/gu
const ANY = '?'

/** Whether a skeleton, which may contain wildcards, matches that of a reserved name. */
function matchesReserved(pattern: string, reserved: string): boolean {
  return (
    pattern.length === reserved.length && Array.from(pattern).every((one, at) => one === ANY || one === reserved[at])
  )
}

/** `system` names the author of the platform's own changes. */
const RESERVED = new Map([...BUILT_IN_ROLES, 'system', ...ACTIONS].map((name) => [skeletonOf(name), name]))

/** Refuse a role name that people could mistake for a built-in role, an action or the platform itself. Throws 400. */
export function refuseRoleName(name: string): void {
  const isLatin = /\p{Script=Latin}/u.test(name.normalize('NFKD'))
  const skeleton = isLatin ? skeletonOf(name).replaceAll(UNKNOWN, ANY) : skeletonOf(name)
  // Dots are significant only in names of actions.
  const forms = [skeleton, skeleton.replaceAll('.', '')]
  const [, reserved] = [...RESERVED].find(([one]) => forms.some((form) => matchesReserved(form, one))) ?? []
  if (reserved !== undefined)
    throw failures.invalid(
      '/name',
      `looks like \`${reserved}\`, which is reserved: choose another name`,
      'reserved-name',
    )
}
