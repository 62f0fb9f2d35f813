"""Django with mssql-django, by mssql-python and by pyodbc over Microsoft's ODBC driver: the migrations of all of
django.contrib there and back, a model of all fields, queries, changes of the schema, introspection, the admin's pages.

FreeTDS' ODBC driver cannot say which type a NULL is wanted in, so a NULL for `varbinary` is refused (257) as by SQL
Server; it has no check here. `check_django.py DRIVER` runs one: Django is configured once in a process.
"""

import datetime
import decimal
import io
import os
import subprocess
import sys
import uuid

from tools import HOST, PASSWORD, PORT, check, database, equal, finish

OPTIONS = {
    "mssql-python": {"python_driver": "mssql_python"},
    "pyodbc-microsoft": {"driver": "ODBC Driver 18 for SQL Server"},
}

if len(sys.argv) == 1:
    codes = [subprocess.run([sys.executable, __file__, driver], check=False).returncode for driver in OPTIONS]
    sys.exit(max(codes))

DRIVER = sys.argv[1]
NAME = "django"

import django
from django.conf import settings

sys.modules["check_django"] = sys.modules["__main__"]
AUTH = "django.contrib.auth.middleware.AuthenticationMiddleware"
CONTEXT = "django.contrib.auth.context_processors.auth"
settings.configure(
    SECRET_KEY="of the check",
    USE_TZ=True,
    ROOT_URLCONF="check_django",
    ALLOWED_HOSTS=["*"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[f"django.contrib.{app}" for app in ("admin", "auth", "contenttypes", "sessions", "messages", "sites", "redirects", "flatpages")],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", AUTH, "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request", CONTEXT, "django.contrib.messages.context_processors.messages"]},
        }
    ],
    DATABASES={
        "default": {
            "ENGINE": "mssql",
            "NAME": NAME,
            "USER": "sa",
            "PASSWORD": PASSWORD,
            "HOST": HOST,
            "PORT": str(PORT),
            "OPTIONS": {**OPTIONS[DRIVER], "extra_params": "Encrypt=yes;TrustServerCertificate=yes"},
        }
    },
)
django.setup()

from django.contrib import admin
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Avg, CheckConstraint, Count, Exists, F, Max, OuterRef, Q, StdDev, Sum, UniqueConstraint, Window
from django.db.models.functions import ExtractYear, RowNumber, TruncMonth
from django.test import Client
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls)]


class Thing(models.Model):
    name = models.CharField(max_length=50, db_index=True)
    price = models.DecimalField(max_digits=10, decimal_places=2, null=True)
    made = models.DateTimeField(null=True)
    day = models.DateField(null=True)
    at = models.TimeField(null=True)
    took = models.DurationField(null=True)
    blob = models.BinaryField(null=True)
    key = models.UUIDField(null=True)
    data = models.JSONField(null=True)
    text = models.TextField(default="")
    code = models.CharField(max_length=20, default="")
    share = models.FloatField(default=1.5)
    yes = models.BooleanField(default=False)

    class Meta:
        app_label = "things"
        constraints = [
            CheckConstraint(condition=Q(share__gte=0), name="ck_share"),
            UniqueConstraint(fields=["code"], condition=Q(yes=True), name="uq_yes"),
        ]


class Part(models.Model):
    thing = models.ForeignKey(Thing, on_delete=models.CASCADE)
    n = models.IntegerField()

    class Meta:
        app_label = "things"


UTC = datetime.timezone.utc


def thing(i):
    return Thing(
        name=f"n{i}",
        price=decimal.Decimal("1.25") * i,
        made=datetime.datetime(2026, 1, 1 + i, 12, tzinfo=UTC),
        day=datetime.date(2026, 1, 1 + i),
        at=datetime.time(1, 2, i),
        took=datetime.timedelta(hours=i),
        blob=bytes([i]),
        key=uuid.UUID(int=i),
        data={"a": [i, {"b": None}], "k": i},
    )


def migrations():
    call_command("migrate", verbosity=0)
    call_command("migrate", check_unapplied=True, verbosity=0)


def inspected():
    told = io.StringIO()
    call_command("inspectdb", stdout=told)
    for wanted in ("class AuthUser(models.Model)", "username = models.CharField(unique=True, max_length=150", "group = models.ForeignKey(AuthGroup, models.DO_NOTHING)"):
        equal(wanted in told.getvalue(), True)


def fields():
    with connection.schema_editor() as editor:
        editor.create_model(Thing)
        editor.create_model(Part)
    Thing.objects.bulk_create([thing(i) for i in range(20)])
    found, wanted = Thing.objects.get(name="n7"), thing(7)
    for field in ("price", "made", "day", "at", "took", "key", "data", "share", "yes"):
        equal((field, getattr(found, field)), (field, getattr(wanted, field)))
    equal(bytes(found.blob), b"\x07")
    Thing.objects.create(name="empty")
    equal(Thing.objects.get(name="empty").blob, None)
    Thing.objects.filter(name="empty").delete()


def queries():
    totals = Thing.objects.aggregate(Sum("price"), Avg("share"), Count("id"), Max("day"))
    equal(totals, {"price__sum": decimal.Decimal("237.50"), "share__avg": 1.5, "id__count": 20, "day__max": datetime.date(2026, 1, 20)})
    months = Thing.objects.annotate(m=TruncMonth("day"), y=ExtractYear("made")).values("m", "y").annotate(c=Count("*"))
    equal(list(months), [{"m": datetime.date(2026, 1, 1), "y": 2026, "c": 20}])
    equal((Thing.objects.get(data__k=3).name, Thing.objects.filter(data__a__0=5).count()), ("n3", 1))
    for one in Thing.objects.order_by("price")[:3]:
        Part.objects.create(thing=one, n=one.id)
    parts = Thing.objects.filter(Exists(Part.objects.filter(thing=OuterRef("pk"))))
    ranked = parts.annotate(w=Window(RowNumber(), order_by=F("price").desc())).order_by("w").values_list("name", "w")
    equal(list(ranked), [("n2", 1), ("n1", 2), ("n0", 3)])
    equal(list(Thing.objects.order_by("-price")[5:8].values_list("name", flat=True)), ["n14", "n13", "n12"])
    equal(round(Thing.objects.aggregate(s=StdDev("price"))["s"], 3), decimal.Decimal("7.208"))
    with transaction.atomic():
        equal(Thing.objects.select_for_update().get(name="n7").price, decimal.Decimal("8.75"))
    equal((Thing.objects.update_or_create(name="n1", defaults={"price": 99})[1], Thing.objects.get_or_create(name="zz")[1]), (False, True))
    equal(Thing.objects.filter(name__icontains="N1").union(Thing.objects.filter(name="n5")).count(), 12)
    equal([part.thing.name for part in Part.objects.select_related("thing").filter(thing__price__gte=0).order_by("-thing__name")], ["n2", "n1", "n0"])
    equal(Thing.objects.filter(price__lt=F("share")).update(text="cheap"), 1)


def constraints():
    for broken in ({"share": -1}, {"yes": True, "code": "same"}):
        try:
            with transaction.atomic():
                Thing.objects.create(name="bad", **broken)
                Thing.objects.create(name="worse", **broken)
        except IntegrityError:
            continue
        raise AssertionError(f"{broken} was accepted")
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "things_thing")
        equal((found["ck_share"]["check"], found["ck_share"]["columns"], found["uq_yes"]["unique"]), (True, ["share"], True))
        equal(connection.introspection.get_relations(cursor, "things_part"), {"thing_id": ("id", "things_thing")})


def schema_changes():
    renamed = models.CharField(max_length=90, null=True)
    renamed.set_attributes_from_name("name")
    renamed.model = Thing
    extra = models.IntegerField(default=5)
    extra.set_attributes_from_name("extra")
    extra.model = Thing
    with connection.schema_editor() as editor:
        editor.alter_field(Thing, Thing._meta.get_field("name"), renamed)
        editor.add_field(Thing, extra)
        editor.remove_field(Thing, Thing._meta.get_field("took"))
        editor.remove_constraint(Thing, Thing._meta.constraints[0])
        editor.add_index(Thing, models.Index(fields=["price", "-made"], name="ix_price_made"))
        editor.alter_db_table(Thing, "things_thing", "things_other")
    with connection.cursor() as cursor:
        columns = {column.name: column for column in connection.introspection.get_table_description(cursor, "things_other")}
        equal(("took" in columns, "extra" in columns, columns["name"].null_ok), (False, True, True))
        found = connection.introspection.get_constraints(cursor, "things_other")
        equal((found["ix_price_made"]["columns"], found["ix_price_made"]["orders"], "ck_share" in found), (["price", "made"], ["ASC", "DESC"], False))
    with connection.schema_editor() as editor:
        editor.alter_db_table(Thing, "things_other", "things_thing")
        editor.delete_model(Part)
        editor.delete_model(Thing)


def admin_pages():
    from django.contrib.auth.models import Group, User

    User.objects.create_superuser("root", "root@example.org", "pw")
    client = Client()
    equal(client.login(username="root", password="pw"), True)
    for address in ("", "auth/user/", "auth/user/?q=roo&is_staff__exact=1&o=1.-2", "auth/user/1/change/", "auth/group/add/", "auth/user/1/history/"):
        equal((address, client.get(f"/admin/{address}").status_code), (address, 200))
    equal(client.post("/admin/auth/group/add/", {"name": "g1", "permissions": ["1", "2"]}).status_code, 302)
    group = Group.objects.get()
    equal(group.permissions.count(), 2)
    equal(client.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code, 302)
    equal(Group.objects.count(), 0)


def back():
    call_command("flush", interactive=False, verbosity=0)
    for app in ("flatpages", "redirects", "sites", "sessions", "admin", "auth", "contenttypes"):
        call_command("migrate", app, "zero", verbosity=0)
    equal(connection.introspection.table_names(), ["django_migrations"])
    connection.close()


with database(NAME):
    for step in (migrations, inspected, fields, queries, constraints, schema_changes, admin_pages, back):
        check(f"{step.__name__.replace('_', ' ')}, {DRIVER}", step)
    connection.close()
finish()
