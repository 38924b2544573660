// Everything works without this file; it saves the customer from reloading, copying by hand and counting minutes.

const { events, phase, here } = document.body.dataset;

/** Counts down by the server's time: what is left when the page or a status arrives, minus what has passed since. */
function startCountdown(timer) {
  const shown = timer.querySelector('[data-left]');
  let endsAtMs = performance.now() + Number(timer.dataset.leftMs);
  const show = () => {
    const seconds = Math.max(0, Math.floor((endsAtMs - performance.now()) / 1_000));
    const two = (value) => String(value).padStart(2, '0');
    const hours = Math.floor(seconds / 3_600);
    shown.textContent = `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    timer.classList.toggle('left-short', seconds < 60);
  };
  timer.hidden = false;
  show();
  setInterval(show, 500);
  return (leftMs) => {
    endsAtMs = performance.now() + leftMs;
    show();
  };
}

/** Loads the page anew once its payment stands otherwise than the page says. */
function followPayment(setLeft) {
  const status = document.querySelector('[data-status]');
  const text = document.querySelector('[data-status-text]');
  if (text !== null) text.textContent = text.dataset.live;
  const source = new EventSource(events);
  // What a form leads to is not overtaken by the news of it.
  addEventListener('submit', () => source.close(), { once: true });
  source.addEventListener('status', ({ data }) => {
    const now = JSON.parse(data);
    setLeft?.(now.remaining_ms);
    if (now.phase === phase) return;
    source.close();
    if (status !== null) status.textContent = status.dataset.changed;
    location.replace(here);
  });
  // A browser tries again by itself unless it was refused; then this does.
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => followPayment(setLeft), 10_000);
  });
}

/** Leads back to the shop after a while, unless the customer stays. */
function leaveForShop(shop, notice) {
  notice.hidden = false;
  const leaving = setTimeout(() => location.assign(shop.href), 5_000);
  notice.querySelector('[data-stay]').addEventListener('click', () => {
    clearTimeout(leaving);
    notice.hidden = true;
    shop.focus();
  });
}

for (const button of document.querySelectorAll('[data-copy]')) {
  if (navigator.clipboard === undefined) break;
  button.hidden = false;
  const label = button.textContent;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
  });
}

const timer = document.querySelector('[data-left-ms]');
const setLeft = timer === null ? undefined : startCountdown(timer);
if (events !== undefined) followPayment(setLeft);
const shop = document.querySelector('[data-shop]');
const notice = document.querySelector('[data-leaving]');
if (shop !== null && notice !== null) leaveForShop(shop, notice);
document.querySelector('[data-focus]')?.focus();
