// Enhances pages that also work without scripts. A slow click shows that it was accepted, and is accepted once. A
// waiting page (data-url) polls our origin for the person's progress, and shows the update. For browsers without
// scripts, such a page has a Refresh header, which stop() cancels. Nothing moves while the page is in use.
;(() => {
  const { slow } = document.currentScript.dataset
  const line = document.createElement('p')
  line.className = 'quiet small slow'
  line.setAttribute('role', 'status')
  let timers = []

  function release() {
    timers.forEach(clearTimeout)
    line.textContent = ''
    document.querySelector('[aria-busy]')?.removeAttribute('aria-busy')
  }

  function press(event, control) {
    if (control.hasAttribute('aria-busy')) return event.preventDefault()
    release()
    control.setAttribute('aria-busy', 'true')
    const place = control.closest('.field, .ways, .actions, form') ?? control
    place.after(line)
    timers = [setTimeout(() => (line.textContent = slow), 4_000), setTimeout(release, 30_000)]
  }

  addEventListener('click', (event) => {
    const link = event.target.closest('a.button')
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link !== null && isPlain) press(event, link)
  })
  addEventListener('submit', (event) => event.submitter && press(event, event.submitter))
  // The page was stopped, or shown again by the back button.
  addEventListener('keydown', ({ key }) => key === 'Escape' && release())
  addEventListener('pageshow', release)
})()
;(() => {
  const { url, status, often, left, update } = document.currentScript.dataset
  if (url === undefined) return
  const frequentUntil = Date.now() + often * 1000
  const endsAt = Date.now() + left * 1000
  let isAnnounced = false

  const isUsed = () => {
    const active = document.activeElement
    const isFocused = active !== null && active !== document.body && !active.hasAttribute('autofocus')
    return (
      isFocused ||
      document.querySelector('details[open], [aria-busy]') !== null ||
      String(getSelection()) !== ''
    )
  }

  /** Turns the link that stops the checks into one that checks again. */
  function announceUpdate() {
    const control = document.getElementById('control')
    control.href = control.dataset.href
    control.textContent = control.dataset.label
    document.getElementById('update').textContent = update
  }

  /** Loads the page again. While it is in use, only announces the update and waits. */
  function showUpdate() {
    if (!isUsed()) return location.replace(url)
    if (!isAnnounced) announceUpdate()
    isAnnounced = true
    setTimeout(showUpdate, 2000)
  }

  async function hasProgressed() {
    const response = await fetch('/api/status', { headers: { accept: 'application/json' } })
    if (response.status === 401) return true
    if (!response.ok) return false
    const { connected, pending, skipped } = await response.json()
    return [connected, pending, skipped].join(' ') !== status
  }

  async function poll() {
    // A check would compete with that of a click.
    if (document.hidden || document.querySelector('[aria-busy]')) return schedulePoll()
    if (Date.now() >= endsAt || (await hasProgressed().catch(() => false))) return showUpdate()
    schedulePoll()
  }

  function schedulePoll() {
    const pause = Date.now() < frequentUntil ? 5_000 : 30_000
    const msLeft = endsAt - Date.now()
    setTimeout(poll, msLeft > 0 ? Math.min(pause, msLeft) : pause)
  }

  addEventListener('load', () => {
    stop()
    schedulePoll()
  })
})()
