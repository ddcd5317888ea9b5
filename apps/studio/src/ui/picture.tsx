import type { ReactNode } from 'react'

/** Line drawings of 160 × 96, with one line in the accent colour. */
const PICTURES = {
  flow: (
    <>
      <rect x="8" y="34" width="44" height="30" rx="6" />
      <path d="M18 45h24M18 53h14M52 49h22c8 0 8-26 20-26M74 49c12 0 8 24 20 24" />
      <rect className="accent" x="94" y="10" width="42" height="26" rx="10" />
      <rect x="94" y="60" width="42" height="26" rx="10" />
    </>
  ),
  scales: (
    <>
      <circle cx="80" cy="14" r="5" />
      <path d="M80 19v64M58 83h44M36 25h88" />
      <path d="M40 25 24 58h32zM24 58c2 10 30 10 32 0" />
      <path className="accent" d="M120 25l-16 33h32zM104 58c2 10 30 10 32 0" />
    </>
  ),
  road: (
    <>
      <circle cx="24" cy="48" r="12" />
      <path d="M36 48h32M92 48h32" strokeDasharray="4 5" />
      <rect className="accent" x="68" y="34" width="24" height="28" rx="6" />
      <circle cx="136" cy="48" r="12" />
      <path d="m131 48 4 4 7-8" />
    </>
  ),
  people: (
    <>
      <circle cx="52" cy="34" r="13" />
      <path d="M28 80c2-20 46-20 48 0z" />
      <circle className="accent" cx="104" cy="34" r="13" />
      <path className="accent" d="M80 80c2-20 46-20 48 0z" />
    </>
  ),
  book: (
    <>
      <path d="M80 22c-14-9-34-9-48-4v56c14-5 34-5 48 4 14-9 34-9 48-4V18c-14-5-34-5-48 4z" />
      <path d="M80 22v56M42 34h26M42 46h26M42 58h18" />
      <rect className="accent" x="92" y="30" width="26" height="16" rx="4" />
    </>
  ),
  signal: (
    <>
      <path d="M10 50h26l10-26 14 52 12-38 6 12h14" />
      <rect className="accent" x="100" y="32" width="46" height="34" rx="7" />
      <path d="M110 44h26M110 53h16" />
    </>
  ),
  key: (
    <>
      <circle className="accent" cx="52" cy="48" r="20" />
      <circle cx="52" cy="48" r="7" />
      <path d="M72 48h62v14M118 48v12" />
    </>
  ),
  search: (
    <>
      <rect x="24" y="14" width="84" height="68" rx="8" />
      <path d="M38 32h40M38 46h26M38 60h32" />
      <circle className="accent" cx="104" cy="56" r="18" />
      <path d="m117 69 16 16" />
    </>
  ),
  tray: (
    <>
      <path d="M28 50 44 16h72l16 34v30H28z" />
      <path className="accent" d="M28 50h30c2 14 42 14 44 0h30v30H28z" />
    </>
  ),
} as const satisfies Readonly<Record<string, ReactNode>>

export type PictureName = keyof typeof PICTURES

/** An illustration for an empty page. */
export function Picture({ name }: { readonly name: PictureName }) {
  return (
    <svg className="picture-empty" viewBox="0 0 160 96" aria-hidden="true">
      {PICTURES[name]}
    </svg>
  )
}
