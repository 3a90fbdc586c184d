// <onramp-status>: says on an intranet page how many apps still wait for the person. Without this script, signed out, or
// while onramp is away, the link inside stays as it is.
;(() => {
  const origin = new URL(document.currentScript.src).origin
  const words = {
    one: 'One app waits for you',
    many: '{n} apps wait for you',
    none: 'No app waits for you',
  }

  // One question for all elements of a page, and for those that come to it a moment later.
  const FRESH_MS = 10_000
  let asked
  const ask = () => {
    if (asked !== undefined) return asked
    setTimeout(() => (asked = undefined), FRESH_MS)
    return (asked = fetch(`${origin}/api/status`, {
      credentials: 'include',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(5000),
    }).then((answer) => (answer.ok ? answer.json() : undefined)))
  }

  class OnrampStatus extends HTMLElement {
    async connectedCallback() {
      const link = this.querySelector('a') ?? this.appendChild(document.createElement('a'))
      if (!link.getAttribute('href'))
        link.href = `${origin}/onboarding?return_to=${encodeURIComponent(location.href)}`
      if (link.textContent.trim() === '') link.textContent = 'Connect your apps'
      try {
        const answer = await ask()
        this.setAttribute('state', answer === undefined ? 'unknown' : 'known')
        if (answer !== undefined) this.show(link, answer)
      } catch {
        this.setAttribute('state', 'unknown')
      }
    }

    show(link, { pending }) {
      if (!Number.isInteger(pending)) return
      const kind = pending === 0 ? 'none' : pending === 1 ? 'one' : 'many'
      link.textContent = (this.dataset[kind] ?? words[kind]).replace('{n}', String(pending))
      this.setAttribute('pending', String(pending))
    }
  }
  if (customElements.get('onramp-status') === undefined) customElements.define('onramp-status', OnrampStatus)
})()
