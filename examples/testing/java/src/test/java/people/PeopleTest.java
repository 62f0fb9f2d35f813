package people;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that would disturb each other in one database. */
@ExtendWith(DatabasePerTest.class)
class PeopleTest {
    @Test
    void everybodyCanGo(Connection database) throws SQLException {
        execute(database, "delete people");
        assertEquals(List.of(), names(database));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Edsger", "Barbara", "Tony"})
    void idsBeginAnewInEachCopy(String name, Connection database) throws SQLException {
        assertEquals(3, add(database, name));
        assertEquals(List.of("Ada", "Grace", name), names(database));
    }

    @Test
    void theTemplateStaysAsItIs(Connection database) throws SQLException {
        execute(database, "update people set name = N'Augusta' where name = N'Ada'");
        try (var template = DatabasePerTest.openTemplate()) {
            assertEquals(List.of("Ada", "Grace"), names(template));
        }
        assertEquals(List.of("Augusta", "Grace"), names(database));
    }

    @Test
    void twoCopiesSideBySide(Connection one, Connection other) throws SQLException {
        assertEquals(3, add(one, "Alan"));
        assertEquals(3, add(other, "Alonzo"));
        assertEquals(List.of("Ada", "Grace", "Alan"), names(one));
        assertEquals(List.of("Ada", "Grace", "Alonzo"), names(other));
    }

    private static void execute(Connection database, String text) throws SQLException {
        try (var statement = database.createStatement()) {
            statement.execute(text);
        }
    }

    private static List<String> names(Connection database) throws SQLException {
        try (var statement = database.createStatement();
             var rows = statement.executeQuery("select name from people order by id")) {
            var names = new ArrayList<String>();
            while (rows.next()) names.add(rows.getString(1));
            return names;
        }
    }

    /** The new person's id. */
    private static int add(Connection database, String name) throws SQLException {
        try (var statement = database.prepareStatement("insert people (name) output inserted.id values (?)")) {
            statement.setString(1, name);
            try (var ids = statement.executeQuery()) {
                ids.next();
                return ids.getInt(1);
            }
        }
    }
}
