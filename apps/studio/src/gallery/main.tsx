import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/components.css'
import '../styles/chart.css'
import '../styles/compare.css'
import '../styles/editor.css'
import '../styles/effects.css'
import '../styles/notices.css'
import '../styles/phone.css'
import '../styles/print.css'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { TextsProvider } from '../texts/texts.tsx'
import { Gallery } from './gallery.tsx'

const place = document.getElementById('root')
if (place === null) throw new Error('the page has no place for the gallery')
/** Links need a router; its history is in memory, so that a click does not leave the gallery. */
const router = createRouter({
  routeTree: createRootRoute({ component: Gallery, notFoundComponent: Gallery }),
  history: createMemoryHistory(),
})
createRoot(place).render(
  <StrictMode>
    <TextsProvider>
      <RouterProvider router={router as never} />
    </TextsProvider>
  </StrictMode>,
)
