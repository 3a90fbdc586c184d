"""Django with Django OAuth Toolkit, as Debian packages them, set up as their tutorial does. One argument: JSON."""

import json
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.conf import settings

given = json.loads(sys.argv[1])
apps = ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]
middleware = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
processors = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
settings.configure(
    SECRET_KEY=given["secret"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": given["database"]}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    LOGIN_URL="/accounts/login/",
    STATIC_URL="/static/",
    INSTALLED_APPS=[f"django.contrib.{name}" for name in apps] + ["oauth2_provider"],
    # Tables without the history of how they came to be: a tenth of the time.
    MIGRATION_MODULES={name: None for name in apps + ["oauth2_provider"]},
    MIDDLEWARE=middleware,
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": processors},
        }
    ],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": given["key"],
        "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Validator",
        "PKCE_REQUIRED": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": given["seconds"],
        "SCOPES": {"openid": "Who you are", "email": "Your address"},
    },
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    """Out of the box the toolkit says nothing of a person but their number."""

    def get_additional_claims(self, request):
        return {"email": request.user.email, "name": request.user.get_full_name()}


urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/login/", LoginView.as_view(template_name="admin/login.html")),
    path("o/", include("oauth2_provider.urls")),
]

call_command("migrate", run_syncdb=True, verbosity=0)
names = {"first_name": "Ada", "last_name": "Lovelace"}
ada = User.objects.create_user("ada", "ada@acme.example", given["password"], **names)
Application.objects.create(
    name="Onramp",
    user=ada,
    algorithm="RS256",
    client_type="confidential",
    authorization_grant_type="authorization-code",
    redirect_uris=given["redirectUri"],
    client_id="onramp",
    client_secret=given["clientSecret"],
)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


server = Server(("127.0.0.1", given["port"]), WSGIRequestHandler)
server.set_app(get_wsgi_application())
server.serve_forever()
