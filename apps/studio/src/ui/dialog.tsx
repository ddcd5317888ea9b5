import { Suspense } from 'react'
import { lazyPart } from './lazy-module.ts'
import { overlays } from './lazy-overlays.ts'
import type { BoxProps } from './overlays.tsx'

const Overlay = lazyPart(overlays, ({ BoxOverlay }) => BoxOverlay)

/** A dialog over the page; Escape closes it, and focus returns. */
export function Box(props: BoxProps) {
  return (
    <Suspense>
      <Overlay {...props} />
    </Suspense>
  )
}
